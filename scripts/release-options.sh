# The options of `swift build` for programs that are released. Source it in the repository's root.
#
#   release_options   compile for release; builds in one folder with the same options reuse each other's object files
#   program_options   release_options, and link one file: on Linux, it contains the runtimes of Swift and C++, SQLite and zlib
release_options=(-c release)
program_options=()
if [ "$(uname)" = Linux ]; then
    command -v clang >/dev/null || { echo "clang, which is part of Swift's toolchain, isn't in PATH." >&2; exit 69; }
    # The linker prefers a shared library if it finds both. This folder, which it searches first, contains only the archives.
    mkdir -p .build-static/archives
    for archive in libstdc++.a libsqlite3.a libz.a; do
        archive=$(clang -print-file-name="$archive")
        [ ! -e "$archive" ] || ln -sf "$archive" .build-static/archives/
    done
    [ -e .build-static/archives/libstdc++.a ] || echo "libstdc++.a isn't installed, so the program needs libstdc++.so.6." >&2
    # The linker omits functions that nothing uses, if each has a section of its own and isn't exported.
    release_options+=(-Xswiftc -Xfrontend -Xswiftc -function-sections
        -Xcc -ffunction-sections -Xcc -fdata-sections -Xcxx -ffunction-sections -Xcxx -fdata-sections)
    program_options=(--static-swift-stdlib -Xlinker --no-export-dynamic -Xlinker "-L$PWD/.build-static/archives")
    # Every start reads the relocations. Relative ones take a hundredth of the space; glibc 2.36 and newer apply them.
    if command -v ld.lld >/dev/null && grep -qs GLIBC_ABI_DT_RELR /lib/*/libc.so.6 /lib64/libc.so.6; then
        release_options+=(-Xswiftc -use-ld=lld)
        program_options+=(-Xlinker -z -Xlinker pack-relative-relocs)
    fi
fi
program_options=("${release_options[@]}" ${program_options[@]+"${program_options[@]}"})

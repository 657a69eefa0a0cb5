# Sets the options of `swift build` with which the scripts build for release. Source it in the repository's root.
#
#   release_options   compile for release; builds in .build-static share what was compiled with the same options
#   program_options   release_options, and link one file: on Linux, it contains Swift's and C++'s runtime libraries, but no
#                     symbols
#
# archive NAME prints the path of a static library, or nothing if it isn't installed. link_archive NAME makes the linker use it.
archive() {
    local file
    file=$(clang -print-file-name="$1")
    [ "$file" = "$1" ] || echo "$file"
}

# The linker prefers a shared library if it finds both. This folder, which it searches first, contains only the archives.
link_archive() {
    local file
    file=$(archive "$1")
    mkdir -p .build-static/archives
    [ -z "$file" ] || ln -sf "$file" ".build-static/archives/$1"
}

release_options=(-c release)
program_options=()
if [ "$(uname)" = Linux ]; then
    # The linker omits functions that nothing uses, if each has a section of its own and isn't exported.
    release_options+=(-Xswiftc -Xfrontend -Xswiftc -function-sections)
    for language in -Xcc -Xcxx; do release_options+=("$language" -ffunction-sections "$language" -fdata-sections); done
    program_options=(--scratch-path .build-static --static-swift-stdlib -Xlinker -s -Xlinker --no-export-dynamic
        -Xlinker "-L$PWD/.build-static/archives")
    link_archive libstdc++.a
    # Relative relocations take a hundredth of the space, which every start reads. Since version 2.36, glibc applies them.
    if grep -qs GLIBC_ABI_DT_RELR /lib/*/libc.so.6 /lib64/libc.so.6; then
        release_options+=(-Xswiftc -use-ld=lld)
        program_options+=(-Xlinker -z -Xlinker pack-relative-relocs)
    fi
fi
program_options=("${release_options[@]}" ${program_options[@]+"${program_options[@]}"})

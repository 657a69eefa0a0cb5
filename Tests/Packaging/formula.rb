# Evaluates a release's Homebrew formula for each system, without Homebrew: the addresses and checksums are those of the
# release's files. For this Linux, also runs `install` on the archive and then `test`.
#
#   ruby Tests/Packaging/formula.rb RELEASE
#
# Implements only what the formula uses; anything else fails.
require "digest"
require "fileutils"
require "open3"
require "pathname"
require "tmpdir"

SYSTEMS = [[:macos, :arm], [:linux, :intel], [:linux, :arm]].freeze

module OS
  def self.mac? = Formula.system == :macos
end

class Folder < Pathname
  def install(*files)
    mkpath
    FileUtils.cp_r(files.flatten, self)
  end

  def /(other) = Folder.new(super)
end

class Formula
  class << self
    attr_accessor :system, :processor
    attr_reader :values

    def reset = @values = {}

    %i[desc homepage version license url sha256].each do |name|
      define_method(name) { |value| @values[name] = value }
    end
    def depends_on(*needed) = (@values[:needed] ||= []).concat(needed)
    def on_macos(&block) = Formula.system == :macos && class_eval(&block)
    def on_linux(&block) = Formula.system == :linux && class_eval(&block)
    def on_intel(&block) = Formula.processor == :intel && class_eval(&block)
    def on_arm(&block) = Formula.processor == :arm && class_eval(&block)
    def test(&block) = @values[:test] = block
    def inherited(subclass) = (super; subclass.reset; Formula.subclass = subclass)
    attr_accessor :subclass
  end

  attr_reader :prefix

  def initialize(prefix) = @prefix = Folder.new(prefix)
  def bin = prefix / "bin"
  def pkgshare = prefix / "share/appreceipt"
  def version = self.class.values[:version]

  def system(*words)
    Kernel.system(*words.map(&:to_s), out: File::NULL, err: File::NULL) || raise("#{words.join(" ")} failed")
  end

  def shell_output(command) = Open3.capture2(command).first
  def assert_equal(expected, found) = expected == found || raise("Expected #{expected}, not #{found}.")
end

def evaluate(formula, system, processor)
  Formula.system = system
  Formula.processor = processor
  Object.send(:remove_const, :Appreceipt) if Object.const_defined?(:Appreceipt)
  load formula
  Formula.subclass
end

release = Pathname.new(ARGV.fetch(0)).realpath
formula = (release / "appreceipt.rb").to_s
here = RUBY_PLATFORM.start_with?("x86_64") ? :intel : :arm
checked = 0
SYSTEMS.each do |system, processor|
  values = evaluate(formula, system, processor).values
  if values[:url].nil?
    raise "The formula has no archive for this machine." if system == :linux && processor == here

    next
  end
  archive = release / File.basename(values[:url])
  expected = "#{values[:homepage]}/releases/download/v#{values[:version]}/#{archive.basename}"
  raise "The address is #{values[:url]}, not #{expected}." unless values[:url] == expected
  raise "The checksum of #{archive.basename} is wrong." unless values[:sha256] == Digest::SHA256.file(archive).hexdigest

  checked += 1
end

Dir.mktmpdir do |folder|
  type = evaluate(formula, :linux, here)
  archive = (release / File.basename(type.values[:url])).to_s
  raise "tar failed" unless Kernel.system("tar", "-xzf", archive, "-C", folder)

  package = type.new(File.join(folder, "prefix"))
  # Homebrew begins in the only folder of an archive.
  Dir.chdir(Dir[File.join(folder, "appreceipt-*")].fetch(0)) { package.install }
  Dir.mkdir(File.join(folder, "test"))
  Dir.chdir(File.join(folder, "test")) { package.instance_eval(&type.values[:test]) }
  %w[
    share/man/man1/appreceipt.1 share/bash-completion/completions/appreceipt share/appreceipt/appreceipt.json
  ].each do |file|
    raise "#{file} isn't installed." unless (package.prefix / file).file?
  end
end
puts "The formula is that of the release: #{checked} addresses and checksums; installed and tested on this machine."

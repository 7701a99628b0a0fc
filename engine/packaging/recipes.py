"""Writes installers and recipes for a release: engine/packaging/recipes.py DIST

From the archives and SHA256SUMS in DIST it makes, in the same folder: install.sh and install.ps1, a
formula for Homebrew, a PKGBUILD for Arch, the three manifests of winget, and sbom.json, the crates of
the program in the form of CycloneDX 1.5. Files that need a missing archive are left out, with a message.
"""

import json
import pathlib
import re
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).parents[2]
SUMMARY = "Engine for international draughts with endgame databases"
LINUX = {"x86_64": "x86_64-unknown-linux-musl", "aarch64": "aarch64-unknown-linux-musl"}
MACOS = {"x86_64": "x86_64-apple-darwin", "aarch64": "aarch64-apple-darwin"}
WINDOWS = "x86_64-pc-windows-gnu"

INSTALL_SH = """\
#!/bin/sh
# Installs meerslag @VERSION@ for this user: sh install.sh [FOLDER]    (default: ~/.local/bin)
# MEERSLAG_URL is the address of the archives, if not the release's.
set -eu
folder=${1:-$HOME/.local/bin}
url=${MEERSLAG_URL:-@URL@}
case "$(uname -s)-$(uname -m)" in
@CASES@
*) echo "no archive for $(uname -s) on $(uname -m): build it with cargo" >&2; exit 1 ;;
esac
name=meerslag-@VERSION@-$target
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
curl --proto '=https,file' --fail --location --silent --show-error "$url/$name.tar.xz" -o "$work/archive"
if command -v sha256sum >/dev/null; then found=$(sha256sum "$work/archive")
else found=$(shasum -a 256 "$work/archive"); fi
[ "${found%% *}" = "$sum" ] || { echo "$name.tar.xz is damaged: its checksum is wrong" >&2; exit 1; }
tar -C "$work" -xf "$work/archive"
mkdir -p "$folder"
# Renamed when complete, because the program may be running.
for file in meerslag meerslag.wasm rules.wasm; do
    cp "$work/$name/$file" "$folder/.$file.new"
    mv "$folder/.$file.new" "$folder/$file"
done
echo "$folder/meerslag is version @VERSION@."
case ":$PATH:" in *":$folder:"*) ;; *) echo "$folder is not in PATH yet." ;; esac
"""

INSTALL_PS1 = """\
# Installs meerslag @VERSION@ for this user: .\\install.ps1 [FOLDER]
param([string]$Folder = "$env:LOCALAPPDATA\\Programs\\meerslag")
$ErrorActionPreference = 'Stop'
$url = if ($env:MEERSLAG_URL) { $env:MEERSLAG_URL } else { '@URL@' }
$name = 'meerslag-@VERSION@-@TARGET@'
$work = Join-Path ([IO.Path]::GetTempPath()) ([IO.Path]::GetRandomFileName())
New-Item -ItemType Directory $work | Out-Null
try {
    Invoke-WebRequest "$url/$name.zip" -OutFile "$work\\archive.zip" -UseBasicParsing
    if ((Get-FileHash "$work\\archive.zip" -Algorithm SHA256).Hash -ne '@SUM@') {
        throw "$name.zip is damaged: its checksum is wrong"
    }
    Expand-Archive "$work\\archive.zip" $work
    New-Item -ItemType Directory -Force $Folder | Out-Null
    Copy-Item "$work\\$name\\meerslag.exe", "$work\\$name\\*.wasm" $Folder -Force
} finally {
    Remove-Item -Recurse -Force $work
}
$path = [Environment]::GetEnvironmentVariable('Path', 'User')
if (($path -split ';') -notcontains $Folder) {
    [Environment]::SetEnvironmentVariable('Path', "$path;$Folder", 'User')
}
Write-Host "$Folder\\meerslag.exe is version @VERSION@."
"""

FORMULA = """\
class Meerslag < Formula
  desc "@SUMMARY@"
  homepage "@HOMEPAGE@"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

@BLOCKS@
  def install
    bin.install "meerslag"
    pkgshare.install "meerslag.wasm", "rules.wasm"
    man1.install Dir["man/man1/*.1"]
    bash_completion.install "completions/meerslag.bash" => "meerslag"
    zsh_completion.install "completions/_meerslag"
    fish_completion.install "completions/meerslag.fish"
    doc.install "README.md", "NOTICE", "LICENSES-DEPENDENCIES.txt", "docs"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/meerslag --version")
  end
end
"""

PKGBUILD = """\
# Maintainer: The Meerslag developers
pkgname=meerslag-bin
pkgver=@VERSION@
pkgrel=1
pkgdesc="@SUMMARY@"
arch=(@ARCHES@)
url="@HOMEPAGE@"
license=(MIT Apache-2.0)
provides=(meerslag)
conflicts=(meerslag)
options=(!strip)
@SOURCES@

package() {
    cd "meerslag-$pkgver-$CARCH-unknown-linux-musl"
    install -Dm755 meerslag "$pkgdir/usr/bin/meerslag"
    install -Dm644 -t "$pkgdir/usr/share/meerslag" meerslag.wasm rules.wasm
    install -Dm644 -t "$pkgdir/usr/share/man/man1" man/man1/*.1
    install -Dm644 completions/meerslag.bash "$pkgdir/usr/share/bash-completion/completions/meerslag"
    install -Dm644 -t "$pkgdir/usr/share/zsh/site-functions" completions/_meerslag
    install -Dm644 -t "$pkgdir/usr/share/fish/vendor_completions.d" completions/meerslag.fish
    install -Dm644 -t "$pkgdir/usr/share/licenses/$pkgname" LICENSE-* LICENSES-DEPENDENCIES.txt NOTICE
}
"""

WINGET = {
    "version": """\
PackageIdentifier: Meerslag.Meerslag
PackageVersion: @VERSION@
DefaultLocale: en-US
ManifestType: version
ManifestVersion: 1.6.0
""",
    "locale.en-US": """\
PackageIdentifier: Meerslag.Meerslag
PackageVersion: @VERSION@
PackageLocale: en-US
Publisher: The Meerslag developers
PackageName: Meerslag
PackageUrl: @HOMEPAGE@
License: MIT OR Apache-2.0
ShortDescription: @SUMMARY@
ManifestType: defaultLocale
ManifestVersion: 1.6.0
""",
    "installer": """\
PackageIdentifier: Meerslag.Meerslag
PackageVersion: @VERSION@
InstallerType: zip
NestedInstallerType: portable
NestedInstallerFiles:
- RelativeFilePath: meerslag-@VERSION@-@TARGET@\\meerslag.exe
  PortableCommandAlias: meerslag
Installers:
- Architecture: x64
  InstallerUrl: @URL@/meerslag-@VERSION@-@TARGET@.zip
  InstallerSha256: @SUM@
ManifestType: installer
ManifestVersion: 1.6.0
""",
}


def filled(template, **values):
    for name, value in values.items():
        template = template.replace(f"@{name}@", value)
    if left := re.search(r"@[A-Z]+@", template):
        raise ValueError(f"{left.group()} has no value")
    return template


def sbom(version):
    """The crates of the program as CycloneDX."""
    tree = subprocess.run(
        ["cargo", "tree", "--locked", "--package=meerslag", "--edges=normal", "--target=all",
         "--prefix=none", "--format={p}|{l}"],
        check=True, capture_output=True, text=True, cwd=ROOT,
    ).stdout
    locked = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    sums = {(p["name"], p["version"]): p.get("checksum") for p in locked}
    components = []
    for line in sorted(set(line.removesuffix(" (*)") for line in tree.splitlines() if line)):
        package, _, licence = line.partition("|")
        name, number = package.split()[:2]
        number = number.removeprefix("v")
        component = {
            "type": "library", "name": name, "version": number, "purl": f"pkg:cargo/{name}@{number}",
            "licenses": [{"expression": licence.replace("/", " OR ")}],
        }
        if checksum := sums.get((name, number)):
            component["hashes"] = [{"alg": "SHA-256", "content": checksum}]
        if name != "meerslag" and component not in components:
            components.append(component)
    program = {"type": "application", "name": "meerslag", "version": version}
    return {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "metadata": {"component": program}, "components": components,
    }


def main():
    dist = pathlib.Path(sys.argv[1])
    package = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]
    version, homepage = package["version"], package["homepage"]
    sums = {}
    for line in (dist / "SHA256SUMS").read_text().splitlines():
        checksum, name = line.split()
        sums[name] = checksum
    known = dict(VERSION=version, HOMEPAGE=homepage, SUMMARY=SUMMARY,
                 URL=f"{homepage}/releases/download/v{version}")

    def write(name, template, **values):
        path = dist / name
        path.with_suffix(".new").write_text(filled(template, **known, **values))
        path.with_suffix(".new").replace(path)
        print(name)

    def archive(target, ending="tar.xz"):
        return sums.get(f"meerslag-{version}-{target}.{ending}")

    unix = [("Linux", machine, target) for machine, target in LINUX.items()]
    unix += [("Darwin", machine, target) for machine, target in MACOS.items()]
    unix = [(system, machine, target) for system, machine, target in unix if archive(target)]
    cases = []
    for system, machine, target in unix:
        # macOS calls it arm64, Linux aarch64.
        other = f" | {system}-arm64" if machine == "aarch64" else ""
        cases.append(f"{system}-{machine}{other}) target={target} sum={archive(target)} ;;")
    if cases:
        write("install.sh", INSTALL_SH, CASES="\n".join(cases))
        (dist / "install.sh").chmod(0o755)
        blocks = []
        for system, machine, target in unix:
            on = "on_linux" if system == "Linux" else "on_macos"
            cpu = "on_arm" if machine == "aarch64" else "on_intel"
            blocks.append(
                f"  {on} do\n    {cpu} do\n"
                f"      url \"{known['URL']}/meerslag-{version}-{target}.tar.xz\"\n"
                f"      sha256 \"{archive(target)}\"\n    end\n  end\n"
            )
        write("meerslag.rb", FORMULA, BLOCKS="\n".join(blocks))
    linux = [(machine, target) for machine, target in LINUX.items() if archive(target)]
    if linux:
        sources = []
        for machine, target in linux:
            address = f"$url/releases/download/v$pkgver/meerslag-$pkgver-{target}.tar.xz"
            sources.append(f"source_{machine}=(\"{address}\")")
            sources.append(f"sha256sums_{machine}=({archive(target)})")
        arches = " ".join(machine for machine, _ in linux)
        write("PKGBUILD", PKGBUILD, ARCHES=arches, SOURCES="\n".join(sources))
    if checksum := archive(WINDOWS, "zip"):
        values = dict(TARGET=WINDOWS, SUM=checksum.upper())
        write("install.ps1", INSTALL_PS1, **values)
        for kind, template in WINGET.items():
            end = "" if kind == "version" else f".{kind}"
            write(f"Meerslag.Meerslag{end}.yaml", template, **values)
    (dist / "sbom.json").write_text(json.dumps(sbom(version), indent=1) + "\n")
    print("sbom.json")
    for target in [*LINUX.values(), *MACOS.values(), WINDOWS]:
        if not archive(target, "zip" if target == WINDOWS else "tar.xz"):
            print(f"no archive for {target}: left out")


main()

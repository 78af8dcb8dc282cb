# Installs the command `gdl` into $env:GDL_INSTALL, by default ~\.local\bin:
#
#     irm @FROM@/gdl-installer.ps1 | iex
& {
    $ErrorActionPreference = "Stop"
    $ProgressPreference = "SilentlyContinue"
    $from = "@FROM@"
    $into = if ($env:GDL_INSTALL) { $env:GDL_INSTALL } else { Join-Path $HOME ".local\bin" }
    # Windows on ARM runs programs for x86-64.
    $archive = "gdl-x86_64-pc-windows-msvc.zip"
    $folder = Join-Path ([IO.Path]::GetTempPath()) ([IO.Path]::GetRandomFileName())
    New-Item -ItemType Directory -Force $folder, $into | Out-Null
    try {
        foreach ($file in "SHA256SUMS", $archive) {
            Invoke-WebRequest -UseBasicParsing "$from/$file" -OutFile (Join-Path $folder $file)
        }
        $line = Select-String -Path (Join-Path $folder "SHA256SUMS") -Pattern "[ /]$([regex]::Escape($archive))$"
        $sum = (Get-FileHash -Algorithm SHA256 (Join-Path $folder $archive)).Hash
        if ($line.Line.Split(" ")[0] -ne $sum) { throw "gdl-installer: $archive is damaged: try again" }
        Expand-Archive (Join-Path $folder $archive) $folder
        Copy-Item -Force (Join-Path $folder "gdl-x86_64-pc-windows-msvc\gdl.exe") $into
        (& (Join-Path $into "gdl.exe") --version)[0]
        if (($env:PATH -split ";") -notcontains $into) { Write-Host "gdl-installer: add $into to the path" }
    } finally {
        Remove-Item -Recurse -Force $folder
    }
}

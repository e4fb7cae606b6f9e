# Completes the command line of zmigrate in PowerShell. zmigrate itself knows the candidates.

Register-ArgumentCompleter -Native -CommandName zmigrate -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Where-Object { $_.Extent.EndOffset -le $cursorPosition } | ForEach-Object { $_.ToString() })
    $program = $words[0]
    $words = @($words | Select-Object -Skip 1)
    # PowerShell before 7.3 drops empty arguments, so a word of its own stands for the empty word.
    if ($wordToComplete -eq '') { $words += '__empty' }
    foreach ($line in (& $program __complete '--' $words 2>$null)) {
        if ($line -eq ':none') { continue }
        if ($line.StartsWith(':')) {
            [System.Management.Automation.CompletionCompleters]::CompleteFilename($wordToComplete) | Where-Object {
                $line -eq ':files' -or $_.ResultType -eq 'ProviderContainer' -or ($line -eq ':jobs' -and $_.CompletionText -match '\.(yaml|yml|json)''?$')
            }
            continue
        }
        $value, $means = $line -split "`t", 2
        if (-not $means) { $means = $value }
        [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $means)
    }
}

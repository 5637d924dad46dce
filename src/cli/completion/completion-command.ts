import { Argument, type Command } from 'commander'
import { type JsonOption, jsonOption, printJson } from '../json-option.ts'
import { type Shell, shells } from './shells.ts'

export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .description('Print a script that lets your shell complete commands and options.')
    .addArgument(new Argument('<shell>', 'your shell').choices(shells))
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Without the command "housebill" on your PATH, define it: alias housebill="npx housebill"`,
    )
    .action(async (shell: Shell, { json }: JsonOption) => {
      const { completionScripts } = await import('./completion-scripts.ts')
      const { completionWords } = await import('./completion-words.ts')
      const script = completionScripts[shell](completionWords(program))
      if (json) printJson({ shell, script })
      else console.log(script)
    })
}

import { Argument, type Command } from 'commander'
import { type Shell, shells } from './shells.ts'

export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .description('Print a script that lets your shell complete commands and options.')
    .addArgument(new Argument('<shell>', 'your shell').choices(shells))
    .addHelpText(
      'after',
      `
Without the command "housebill" on your PATH, define it: alias housebill="npx housebill"`,
    )
    .action(async (shell: Shell) => {
      const { completionScripts } = await import('./completion-scripts.ts')
      const { completionWords } = await import('./completion-words.ts')
      console.log(completionScripts[shell](completionWords(program)))
    })
}

import type { Command } from 'commander'
import { type JsonOption, jsonOption } from './json-option.ts'

export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('Serve the partner API (what "npm start" does).')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      '\nA supervisor runs "npm start" instead: npx keeps a signal that is sent to it alone to itself.',
    )
    .action(async (options: JsonOption) => (await import('./serve-action.ts')).startServing(options))
}

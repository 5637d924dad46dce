import type { Command } from 'commander'
import { type JsonOption, jsonOption } from '../print.ts'

export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('Serve the partner API (what "npm start" does).')
    .addOption(jsonOption())
    .addHelpText('after', '\nA supervisor should run "npm start" instead: npx does not forward signals to Housebill.')
    .action(async (options: JsonOption) => (await import('./serve-action.ts')).startServing(options))
}

import { type Command, InvalidArgumentError } from 'commander'
import { jsonOption } from '../print.ts'
import type { RehearsalCommandOptions } from './rehearsal-action.ts'

export function addRehearsalCommand(program: Command): void {
  program
    .command('rehearsal')
    .description('Run the simulators for a rehearsal of live, and write the settings with which the service starts.')
    .requiredOption(
      '--out <folder>',
      'the folder for settings, keys, certificate and data; a later run continues there',
    )
    .requiredOption('--operator-file <file>', 'your operator file, or a copy of the sample with your own words in it')
    .option('--port <port>', 'the port of the service', portNumber, 8443)
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
The service then runs with every rule of live, over TLS, against simulators of the two broadband providers and of Stripe. The three
DATABASE_… settings name your own PostgreSQL, if they are set; otherwise the one of the packages is used. Stop with Ctrl-C.`,
    )
    .action(async (options: RehearsalCommandOptions) => (await import('./rehearsal-action.ts')).rehearse(options))
}

function portNumber(value: string): number {
  const port = Number(value)
  if (!/^\d{1,5}$/.test(value) || port < 1 || port > 65_535)
    throw new InvalidArgumentError('Must be a number from 1 to 65535.')
  return port
}

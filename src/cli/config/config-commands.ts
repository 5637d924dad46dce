import type { Command } from 'commander'
import { jsonOption } from '../print.ts'
import type { CheckOptions } from './check-action.ts'

export function addConfigCommands(program: Command): void {
  const config = program.command('config').description('Check the configuration.')
  config
    .command('check')
    .description('List everything that is wrong with the configuration, without starting or changing anything.')
    .option('--connect', 'also connect to the databases, the mail server, Stripe and the other systems')
    .addOption(jsonOption())
    .action(async (options: CheckOptions) => (await import('./check-action.ts')).checkConfiguration(options))
}

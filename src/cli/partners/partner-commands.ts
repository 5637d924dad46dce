import type { Command } from 'commander'
import { jsonOption } from '../print.ts'
import type { CreatePartnerOptions } from './partner-actions.ts'
import { allowFromOption, maxNameLength, parseClientId, parseDisplayName, parseScopes } from './partner-options.ts'

export function addPartnerCommands(program: Command): void {
  const partner = program
    .command('partner')
    .description('Create a partner. "call" manages the partners that there are.')

  partner
    .command('create')
    .description('Create a partner. Prints its credentials as JSON: the secret is shown only once.')
    .requiredOption('--name <name>', `the name of the partner, 1 to ${maxNameLength} characters`, parseDisplayName)
    .option(
      '--scopes <scopes>',
      'the scopes of its credentials, such as quotes:read,quotes:write (default: all)',
      parseScopes,
    )
    .option('--client-id <id>', 'a client id at the external identity provider, which keeps its secret', parseClientId)
    .addOption(allowFromOption())
    .addOption(jsonOption())
    .action(async (options: CreatePartnerOptions) => (await import('./partner-actions.ts')).runCreatePartner(options))
}

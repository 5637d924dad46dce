import type { Command } from 'commander'
import type { AddCredentialOptions } from './credential-actions.ts'
import { type JsonOption, jsonOption } from './json-option.ts'
import type { CreateOptions } from './partner-actions.ts'
import { clientId, displayName, duration, scopeList } from './partner-options.ts'

const longestOverlapDays = 30
const longestLifetimeDays = 3_650

export function addPartnerCommands(program: Command): void {
  const partner = program.command('partner').description('Create partners, and look after their credentials.')
  const actions = () => import('./partner-actions.ts')

  partner
    .command('create')
    .description('Create a partner. Prints its credentials as JSON: the secret is shown this once.')
    .requiredOption('--name <name>', 'what the partner is called, 1 to 100 characters', displayName)
    .option(
      '--scopes <scopes>',
      'what its credentials may do, such as quotes:read,quotes:write; all without it',
      scopeList,
    )
    .option(
      '--client-id <id>',
      'a client id that the external identity provider knows; its secret stays there',
      clientId,
    )
    .addOption(jsonOption())
    .action(async (options: CreateOptions) => (await actions()).create(options))

  partner
    .command('list')
    .description('List the partners and their credentials, oldest first: scopes, when they end, when they were used.')
    .addOption(jsonOption())
    .action(async (options: JsonOption) => (await actions()).list(options))

  partner
    .command('disable')
    .description('Disable a partner: its credentials and its tokens are refused within seconds. There is no way back.')
    .argument('<id>', "the partner's id, or one of its client ids")
    .addOption(jsonOption())
    .action(async (id: string, options: JsonOption) => (await actions()).disable(id, options))

  addCredentialCommands(partner)
}

function addCredentialCommands(partner: Command): void {
  const actions = () => import('./credential-actions.ts')

  partner
    .command('add-credential')
    .description('Give a partner further credentials, with just the scopes a program needs. Prints them as JSON.')
    .argument('<partner>', "the partner's id, or one of its client ids")
    .requiredOption('--scopes <scopes>', 'what they may do, such as quotes:read,customers:read', scopeList)
    .option('--name <name>', 'which program has them, 1 to 100 characters', displayName)
    .option(
      '--expires-in <time>',
      'how long they last, such as 90d; for ever without it',
      duration(longestLifetimeDays, false),
    )
    .option(
      '--client-id <id>',
      'a client id that the external identity provider knows; its secret stays there',
      clientId,
    )
    .addOption(jsonOption())
    .action(async (id: string, options: AddCredentialOptions) => (await actions()).add(id, options))

  partner
    .command('rotate-secret')
    .description('Give a client id a new secret. Prints the credentials as JSON.')
    .argument('<clientId>', 'as "partner list" shows it')
    .option(
      '--overlap <time>',
      'how long the old secret is taken as well, such as 24h; 0 ends it at once',
      duration(longestOverlapDays, true),
      0,
    )
    .addOption(jsonOption())
    .action(async (id: string, options: JsonOption & { overlap: number }) => (await actions()).rotate(id, options))

  partner
    .command('remove-credential')
    .description('Remove credentials: their secret ends at once, their tokens within seconds. There is no way back.')
    .argument('<clientId>', 'as "partner list" shows it')
    .addOption(jsonOption())
    .action(async (id: string, options: JsonOption) => (await actions()).remove(id, options))
}

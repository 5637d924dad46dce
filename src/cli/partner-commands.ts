import { type Command, InvalidArgumentError } from 'commander'
import { isSpeltAsClientId } from '../domain/auth/client-id.ts'
import { type JsonOption, jsonOption } from './json-option.ts'
import type { CreateOptions } from './partner-actions.ts'

export function addPartnerCommands(program: Command): void {
  const partner = program.command('partner').description('Create partners, and look after their credentials.')
  const actions = () => import('./partner-actions.ts')

  partner
    .command('create')
    .description('Create a partner. Prints its credentials as JSON: the secret is shown this once.')
    .requiredOption('--name <name>', 'what the partner is called, 1 to 100 characters', partnerName)
    .option(
      '--client-id <id>',
      'a client id that the external identity provider knows; its secret stays there',
      clientId,
    )
    .addOption(jsonOption())
    .action(async (options: CreateOptions) => (await actions()).create(options))

  partner
    .command('list')
    .description('List the partners and their client ids, oldest first.')
    .addOption(jsonOption())
    .action(async (options: JsonOption) => (await actions()).list(options))

  partner
    .command('rotate-secret')
    .description('Give a client id a new secret; the old one ends at once. Prints the credentials as JSON.')
    .argument('<clientId>', 'as "partner list" shows it')
    .addOption(jsonOption())
    .action(async (clientId: string, options: JsonOption) => (await actions()).rotate(clientId, options))

  partner
    .command('disable')
    .description('Disable a partner: its credentials and its tokens are refused within seconds. There is no way back.')
    .argument('<id>', "the partner's id, or one of its client ids")
    .addOption(jsonOption())
    .action(async (id: string, options: JsonOption) => (await actions()).disable(id, options))
}

function partnerName(value: string): string {
  const name = value.trim()
  if (name === '' || [...name].length > 100 || /\p{Cc}/u.test(name)) {
    throw new InvalidArgumentError('It takes 1 to 100 characters on one line.')
  }
  return name
}

function clientId(value: string): string {
  if (!isSpeltAsClientId(value) || value !== value.trim()) {
    throw new InvalidArgumentError('It takes 1 to 255 visible ASCII characters.')
  }
  return value
}

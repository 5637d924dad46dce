import { type Command, InvalidArgumentError } from 'commander'
import { allRoles, type NamedScope, namedScopes, type Role } from '../../people/roles.ts'
import { isPlausibleEmail } from '../../platform/kernel/email.ts'
import { isPersonName } from '../../platform/kernel/plain-text.ts'
import { type JsonOption, jsonOption } from '../print.ts'
import type { InvitePersonOptions } from './people-actions.ts'

export function addPeopleCommands(program: Command): void {
  const people = program.command('people').description('Manage who signs in to pages: your own people and partners’.')
  const actions = () => import('./people-actions.ts')
  people
    .command('list')
    .description('List people, oldest first, with their roles.')
    .option('--partner <id>', "a partner's people (default: your own)")
    .addOption(jsonOption())
    .action(async (options: JsonOption & { partner?: string }) => (await actions()).printPeople(options))
  people
    .command('invite')
    .description('Let somebody sign in, such as the first admin of a partner. Sends no e-mail.')
    .requiredOption('--name <name>', 'their name', parseName)
    .requiredOption('--email <address>', 'their e-mail address', parseEmail)
    .requiredOption('--roles <roles>', `of ${allRoles.join(', ')}`, listParser<Role>(allRoles))
    .option('--partner <id>', 'their partner (default: your own people)')
    .option(
      '--scopes <scopes>',
      `what no role allows, of ${namedScopes.join(', ')}`,
      listParser<NamedScope>(namedScopes),
    )
    .option('--branches <names>', 'the branches to which they belong, such as Leeds,York', parseBranches)
    .addOption(jsonOption())
    .action(async (options: InvitePersonOptions) => (await actions()).runInvitePerson(options))
  people
    .command('remove')
    .description('Sign a person out everywhere at once, for ever. This cannot be undone.')
    .argument('<id>', 'the id of the person')
    .addOption(jsonOption())
    .action(async (id: string, options: JsonOption) => (await actions()).runRemovePerson(id, options))
  people
    .command('sign-in')
    .description(
      'Print a link that signs in one of your admins, once and within ten minutes, while the provider is down.',
    )
    .argument('<id>', 'the id of the person')
    .addOption(jsonOption())
    .action(async (id: string, options: JsonOption) => (await actions()).runPrintSignInLink(id, options))
}

function parseName(value: string): string {
  const name = value.trim()
  if (!isPersonName(name) || [...name].length > 100)
    throw new InvalidArgumentError('Must be 1 to 100 characters on one line, with a letter or digit and no address.')
  return name
}

function parseEmail(value: string): string {
  if (!isPlausibleEmail(value.trim())) throw new InvalidArgumentError('Must be an e-mail address.')
  return value.trim()
}

function parseBranches(value: string): string[] {
  return [...new Set(value.split(',').map(parseName))]
}

function listParser<Item extends string>(known: readonly Item[]): (value: string) => Item[] {
  return (value) => {
    const wanted = value.split(',').map((each) => each.trim())
    const unknown = wanted.filter((each) => !known.some((item) => item === each))
    if (unknown.length > 0)
      throw new InvalidArgumentError(`Unknown: ${unknown.join(', ')}. Choose from: ${known.join(', ')}.`)
    return known.filter((each) => wanted.includes(each))
  }
}

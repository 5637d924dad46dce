import { type Command, InvalidArgumentError } from 'commander'
import { isOperatorScope, type OperatorScope, operatorScopes } from '../../partners/operators/operator-scopes.ts'
import { allowFromOption, durationParser, maxNameLength, parseDisplayName } from '../partners/partner-options.ts'
import { type JsonOption, jsonOption } from '../print.ts'
import type { CreateOperatorOptions } from './operator-actions.ts'

const maxLifetimeDays = 3_650

export function addOperatorCommands(program: Command): void {
  const operator = program
    .command('operator')
    .description("Manage the credentials of your own software, which receives all partners' contracts (/operator-api).")
  const actions = () => import('./operator-actions.ts')

  operator
    .command('create')
    .description('Create credentials. Prints them as JSON: the secret is shown only once.')
    .requiredOption('--name <name>', `the program that uses them, 1 to ${maxNameLength} characters`, parseDisplayName)
    .requiredOption('--scopes <scopes>', `only what it needs, of ${operatorScopes.join(', ')}`, parseOperatorScopes)
    .option(
      '--expires-in <time>',
      'how long they are valid, such as 90d (default: no expiry)',
      durationParser(maxLifetimeDays),
    )
    .addOption(allowFromOption())
    .addOption(jsonOption())
    .action(async (options: CreateOperatorOptions) => (await actions()).runCreateOperator(options))

  operator
    .command('list')
    .description('List the credentials, oldest first, with their last use, expiry, addresses and scopes.')
    .addOption(jsonOption())
    .action(async (options: JsonOption) => (await actions()).printOperators(options))

  operator
    .command('disable')
    .description('End credentials and their tokens at once. This cannot be undone.')
    .argument('<client-id>', 'the client id')
    .addOption(jsonOption())
    .action(async (clientId: string, options: JsonOption) => (await actions()).runDisableOperator(clientId, options))
}

function parseOperatorScopes(text: string): readonly OperatorScope[] {
  const names = [...new Set(text.split(',').map((name) => name.trim()))]
  const wrong = names.filter((name) => !isOperatorScope(name))
  if (wrong.length > 0)
    throw new InvalidArgumentError(
      `There is no scope ${wrong.join(', ')}. The scopes are ${operatorScopes.join(', ')}.`,
    )
  return names.filter(isOperatorScope)
}

import { type Command, InvalidArgumentError } from 'commander'
import { isOperatorScope, type OperatorScope, operatorScopes } from '../../partners/operators/operator-scopes.ts'
import {
  allowFromOption,
  durationParser,
  maxNameLength,
  parseAddressRanges,
  parseDisplayName,
} from '../partners/partner-options.ts'
import { type JsonOption, jsonOption } from '../print.ts'
import type { CreateOperatorOptions, RotateOperatorOptions } from './operator-actions.ts'

const maxOverlapDays = 30
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
      durationParser(maxLifetimeDays, false),
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
    .command('rotate')
    .description('Set a new secret, which is shown only once. The old one keeps working for a while.')
    .argument('<client-id>', 'the client id')
    .option(
      '--overlap <time>',
      'how long the old secret keeps working, such as 24h; 0 ends it at once',
      durationParser(maxOverlapDays, true),
      86_400,
    )
    .option('--end-tokens', 'also reject every token issued until now')
    .addOption(jsonOption())
    .action(async (clientId: string, options: RotateOperatorOptions) =>
      (await actions()).runRotateOperator(clientId, options),
    )

  operator
    .command('allow-from')
    .description('Set the addresses from which credentials and their tokens may be used. Takes effect at once.')
    .argument('<client-id>', 'the client id')
    .argument('<addresses>', 'IP addresses and ranges such as 192.0.2.0/24,2001:db8::/48, or "any"', (value: string) =>
      value === 'any' ? null : parseAddressRanges(value),
    )
    .addOption(jsonOption())
    .action(async (clientId: string, allowedFrom: readonly string[] | null, options: JsonOption) =>
      (await actions()).runAllowOperatorFrom(clientId, allowedFrom, options),
    )

  operator
    .command('disable')
    .description('End credentials and their tokens at once. This cannot be undone.')
    .argument('<client-id>', 'the client id')
    .addOption(jsonOption())
    .action(async (clientId: string, options: JsonOption) => (await actions()).runDisableOperator(clientId, options))

  addWebhookCommands(operator)
}

function addWebhookCommands(operator: Command): void {
  const webhook = operator
    .command('webhook')
    .description(
      'Manage the webhooks that tell your own software of new versions of contracts. "webhooks list" lists them.',
    )
  const actions = () => import('./webhook-actions.ts')
  const id = 'the id of the webhook'

  webhook
    .command('add')
    .description('Register a URL and ask it for its verification. Prints the secret, which is shown only once.')
    .argument('<url>', 'an HTTPS URL that is publicly reachable')
    .addOption(jsonOption())
    .action(async (url: string) => (await actions()).runAddWebhook(url))

  webhook
    .command('enable')
    .description('Enable a webhook that was disabled after failures.')
    .argument('<id>', id)
    .addOption(jsonOption())
    .action(async (webhookId: string, options: JsonOption) => (await actions()).runEnableWebhook(webhookId, options))

  webhook
    .command('rotate')
    .description('Set a new secret, which is shown only once. Messages are signed with both secrets for a day.')
    .argument('<id>', id)
    .addOption(jsonOption())
    .action(async (webhookId: string) => (await actions()).runRotateWebhook(webhookId))

  webhook
    .command('remove')
    .description('Remove a webhook. Nothing more is sent to it.')
    .argument('<id>', id)
    .addOption(jsonOption())
    .action(async (webhookId: string, options: JsonOption) => (await actions()).runRemoveWebhook(webhookId, options))
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

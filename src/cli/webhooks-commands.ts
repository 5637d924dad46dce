import { type Command, InvalidArgumentError, Option } from 'commander'
import { readInstant } from '../kernel/instant.ts'
import { jsonOption } from './json-option.ts'
import type { ListOptions, ReplayOptions } from './webhooks-actions.ts'

export function addWebhooksCommands(program: Command): void {
  const webhooks = program.command('webhooks').description("Look after the partners' webhooks.")
  const actions = () => import('./webhooks-actions.ts')

  webhooks
    .command('list')
    .description('List the webhooks, oldest first, each with its latest replay.')
    .option('--partner <id>', 'of one partner only, as "partner list" shows it')
    .addOption(jsonOption())
    .action(async (options: ListOptions) => (await actions()).list(options))

  webhooks
    .command('replay')
    .description(
      'Send again what a webhook missed: what failed, and what happened while it was disabled. Answers at once; the running servers send it, and "webhooks list" tells how far they are.',
    )
    .addOption(new Option('--webhook <id>', 'one webhook').conflicts('partner'))
    .option('--partner <id>', "all of a partner's active webhooks")
    .option(
      '--since <time>',
      'events of this time or later, e.g. 2026-11-20T09:00:00Z; at most 30 days ago, which it is unless given',
      instant,
    )
    .option('--until <time>', 'events before this time; now unless given', instant)
    .addOption(jsonOption())
    .action(async (options: ReplayOptions, command: Command) => {
      const { webhook, partner } = options
      if (webhook === undefined && partner === undefined) command.error('error: --webhook or --partner is needed')
      await (await actions()).replay(options)
    })
}

function instant(value: string): Date {
  const read = readInstant(value)
  if (read === undefined)
    throw new InvalidArgumentError('It takes a moment with its time zone, such as 2026-11-20T09:00:00Z.')
  return read
}

import { type Command, InvalidArgumentError, Option } from 'commander'
import { readInstant } from '../platform/kernel/instant.ts'
import { keptDays } from '../webhooks/history/kept-payloads.ts'
import { jsonOption } from './print.ts'
import type { ListWebhooksOptions, ReplayOptions } from './webhooks-actions.ts'

export function addWebhooksCommands(program: Command): void {
  const webhooks = program.command('webhooks').description("Manage the partners' webhooks.")
  const actions = () => import('./webhooks-actions.ts')

  webhooks
    .command('list')
    .description('List the webhooks, oldest first, each with its latest replay.')
    .option('--partner <id>', 'only the webhooks of this partner; "call listPartners" shows the id')
    .addOption(jsonOption())
    .action(async (options: ListWebhooksOptions) => (await actions()).printWebhooks(options))

  webhooks
    .command('replay')
    .description(
      'Replay what a webhook missed: deliveries that failed, and events that happened while it was disabled. Returns immediately. The running servers send the messages, and "webhooks list" shows the progress.',
    )
    .addOption(new Option('--webhook <id>', 'the id of one webhook').conflicts('partner'))
    .option('--partner <id>', 'all active webhooks of this partner')
    .option(
      '--since <time>',
      `replay events from this time on, such as 2026-11-20T09:00:00Z; at most ${keptDays} days ago (default: ${keptDays} days ago)`,
      instant,
    )
    .option('--until <time>', 'replay events before this time (default: now)', instant)
    .addOption(jsonOption())
    .action(async (options: ReplayOptions, command: Command) => {
      const { webhook, partner } = options
      if (webhook === undefined && partner === undefined) command.error('error: --webhook or --partner is required')
      await (await actions()).replayWebhooks(options)
    })
}

function instant(value: string): Date {
  const read = readInstant(value)
  if (read === undefined)
    throw new InvalidArgumentError('Must be a timestamp with a time zone, such as 2026-11-20T09:00:00Z.')
  return read
}

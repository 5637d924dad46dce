import { type Command, InvalidArgumentError } from 'commander'
import { type EventType, eventTypes } from '../../events/event.ts'
import { invocation } from '../invocation.ts'
import { type JsonOption, jsonOption } from '../print.ts'
import { type AccessOptions, addAccessOptions, requireAccess, warnOfSecret } from './access-options.ts'

interface ListenCommandOptions extends JsonOption, AccessOptions {
  forwardTo: string
  events?: readonly EventType[]
  secret?: string
  since?: Date
}

export function addListenCommand(program: Command): void {
  addAccessOptions(program.command('listen'))
    .description(
      'Deliver your webhook messages to a program on this machine, signed as live, without registering a webhook. Ctrl-C ends it.',
    )
    .requiredOption('--forward-to <url>', 'the program, such as http://localhost:3000/webhooks', localUrl)
    .option('--events <types>', 'only these event types, separated by commas (default: all)', parseEvents)
    .option(
      '--secret <secret>',
      'sign with this secret, of the form whsec_…; set WEBHOOK_SECRET instead (default: a new one)',
      webhookSecret,
    )
    .option(
      '--since <time>',
      'begin with the events of this time, such as 2026-11-20T09:00:00Z (default: now)',
      instant,
    )
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Works with any deployment that your credentials are for, because it only reads GET /Events. The program must be on this machine.
A message that it does not accept is sent again after 1 second and after 3 more, before the next one. With --since, you get earlier ones again.
With --json, prints an object for itself and one for each attempt, each on a line.`,
    )
    .action(async (options: ListenCommandOptions, command: Command) => {
      const access = await requireAccess(options, command)
      const { listen } = await import('./listen-action.ts')
      if (options.secret !== undefined) warnOfSecret('--secret', 'WEBHOOK_SECRET')
      await listen({ ...options, ...access, ...secretFrom(options, command) })
    })
}

function localUrl(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : null
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '')
    throw new InvalidArgumentError('Must be an http or https URL without credentials.')
  if (!/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname))
    throw new InvalidArgumentError('Must be a program on this machine: localhost, 127.0.0.1 or [::1].')
  return value
}

function parseEvents(text: string): readonly EventType[] {
  const names = new Set(text.split(',').map((name) => name.trim()))
  const found = eventTypes.filter((type) => names.has(type))
  if (found.length === names.size) return found
  throw new InvalidArgumentError(`The event types are ${eventTypes.join(', ')}.`)
}

/** The secret to sign with, if one is given. */
function secretFrom({ secret }: ListenCommandOptions, command: Command): { secret?: string } {
  const { WEBHOOK_SECRET: value } = invocation().environment
  if (secret !== undefined || value === undefined) return {}
  try {
    return { secret: webhookSecret(value) }
  } catch (error) {
    return command.error(`error: WEBHOOK_SECRET is invalid. ${(error as Error).message}`)
  }
}

function webhookSecret(value: string): string {
  if (/^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/.test(value)) return value
  throw new InvalidArgumentError('Must be "whsec_" followed by 24 to 64 bytes in Base64.')
}

function instant(value: string): Date {
  // The command also runs on versions of Node without Temporal.
  const read = new Date(value)
  if (/^\d{4}-\d{2}-\d{2}T.+(Z|[+-]\d{2}:\d{2})$/i.test(value) && !Number.isNaN(read.getTime())) return read
  throw new InvalidArgumentError('Must be a timestamp with a time zone, such as 2026-11-20T09:00:00Z.')
}

import { type Command, InvalidArgumentError } from 'commander'
import type { ListAuditOptions } from './audit-actions.ts'
import { type JsonOption, jsonOption } from './json-option.ts'

export function addAuditCommands(program: Command): void {
  const audit = program.command('audit').description('Read the audit log.')
  audit
    .command('address-hash')
    .argument('<address>', 'an IP address')
    .description('Print what the request log and the security log have in place of this address.')
    .addOption(jsonOption())
    .action(async (address: string, options: JsonOption) =>
      (await import('./audit-actions.ts')).printAddressHash(address, options),
    )
  audit
    .command('list')
    .description(
      'List who changed what and who read whose data, oldest first. Shows the names of fields, never their values.',
    )
    .option('--customer <id>', 'only entries about this customer')
    .option('--partner <id>', 'only entries of this partner')
    .option('--since <day>', 'from this day on (YYYY-MM-DD), or from this timestamp on', instant)
    .option('--limit <count>', 'the maximum number of entries; the latest are shown', count, 1_000)
    .addOption(jsonOption())
    .action(async (options: ListAuditOptions) => (await import('./audit-actions.ts')).printAuditLog(options))
}

function instant(value: string): Date {
  const at = new Date(value)
  if (!/^\d{4}-\d{2}-\d{2}/.test(value) || Number.isNaN(at.getTime()))
    throw new InvalidArgumentError('Must be a date such as 2026-07-01, or a timestamp such as 2026-07-01T09:00:00Z.')
  return at
}

function count(value: string): number {
  const limit = Number(value)
  if (!Number.isInteger(limit) || limit < 1 || limit > 100_000)
    throw new InvalidArgumentError('Must be a whole number from 1 to 100,000.')
  return limit
}

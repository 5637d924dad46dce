import { type Command, InvalidArgumentError } from 'commander'
import type { AuditOptions } from './audit-actions.ts'
import { jsonOption } from './json-option.ts'

export function addAuditCommands(program: Command): void {
  program
    .command('audit')
    .description('Look into the audit log.')
    .command('list')
    .description('List who changed what and who read health data, oldest first: names of fields, never a value.')
    .option('--customer <id>', 'of one customer')
    .option('--partner <id>', 'of one partner')
    .option('--since <day>', 'from this day on (YYYY-MM-DD, or an instant)', instant)
    .option('--limit <count>', 'at most so many, the latest', count, 1_000)
    .addOption(jsonOption())
    .action(async (options: AuditOptions) => (await import('./audit-actions.ts')).list(options))
}

function instant(value: string): Date {
  const at = new Date(value)
  if (!/^\d{4}-\d{2}-\d{2}/.test(value) || Number.isNaN(at.getTime()))
    throw new InvalidArgumentError('It takes a day such as 2026-07-01, or an instant such as 2026-07-01T09:00:00Z.')
  return at
}

function count(value: string): number {
  const limit = Number(value)
  if (!Number.isInteger(limit) || limit < 1 || limit > 100_000)
    throw new InvalidArgumentError('It takes a whole number from 1 to 100,000.')
  return limit
}

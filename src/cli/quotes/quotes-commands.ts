import type { Command } from 'commander'
import { type JsonOption, jsonOption } from '../print.ts'

export function addQuotesCommands(program: Command): void {
  const quotes = program.command('quotes').description("Look into the partners' quotes.")

  quotes
    .command('overlaps')
    .description(
      'List the properties that two or more quotes, of any partners, supply with the same service on the same days, today or later. Counts locked and completed quotes.',
    )
    .addOption(jsonOption())
    .action(async (options: JsonOption) => (await import('./quotes-actions.ts')).printOverlaps(options))
}

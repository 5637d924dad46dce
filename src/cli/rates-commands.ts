import type { Command } from 'commander'
import { readRateCardFile } from '../compose/rate-card-file.ts'
import { systemClock } from '../domain/kernel/clock.ts'
import { londonDate } from '../domain/kernel/dates.ts'
import { publishRateCard } from '../domain/rates/publish-rate-card.ts'
import type { RateCard } from '../domain/rates/rate-card.ts'
import { listCards, listCardsOnSale } from '../domain/rates/rate-cards.store.ts'
import { type JsonOption, jsonOption, printJson } from './json-option.ts'
import { Refused } from './refused.ts'
import { alignRows, formatInstant } from './table.ts'
import { withDatabase } from './with-database.ts'

export function addRatesCommands(program: Command): void {
  const rates = program
    .command('rates')
    .description('Check and publish rate cards, which partners know as quoting tool versions.')

  rates
    .command('publish')
    .description('Publish a rate card. From then on it is offered, and never changes; publishing it again does nothing.')
    .argument('<file>', 'a rate card as JSON, shaped like those in reference/rate-cards')
    .addOption(jsonOption())
    .action(async (file: string, { json }: JsonOption) => {
      const card = await readRateCardFile(file)
      const published = await withDatabase(async ({ db }) => {
        const outcome = await publishRateCard({ db }, card)
        const [defaultCard] = await listCardsOnSale(db, londonDate(systemClock.now()))
        return { outcome, isDefault: defaultCard?.quotingToolVersionId === card.id }
      })
      const { outcome, isDefault } = published
      if (outcome.outcome === 'refused') {
        throw new Refused('refused', `${file} cannot be published:`, { problems: outcome.problems })
      }
      if (json) {
        printJson({ ...outcome, name: card.name, isDefault })
        return
      }
      const words = outcome.outcome === 'published' ? 'is published' : 'was published before; nothing has changed'
      console.log(`${card.id} ${words}.`)
      console.log(describeCard(card, [['default', isDefault ? 'yes: the latest published that is on sale' : 'no']]))
    })

  rates
    .command('list')
    .description('List every published rate card, latest first, and say which is the default today.')
    .addOption(jsonOption())
    .action(async ({ json }: JsonOption) => {
      const { cards, onSale } = await withDatabase(async ({ db }) => {
        const today = londonDate(systemClock.now())
        return { cards: await listCards(db), onSale: await listCardsOnSale(db, today) }
      })
      const rateCards = cards.map(({ quotingToolVersionId, name, onSaleFrom, onSaleTo, publishedAt }) => ({
        quotingToolVersionId,
        name,
        onSaleFrom,
        onSaleTo,
        publishedAt,
        isOnSale: onSale.some((card) => card.quotingToolVersionId === quotingToolVersionId),
        isDefault: onSale[0]?.quotingToolVersionId === quotingToolVersionId,
      }))
      if (json) {
        printJson({ rateCards })
        return
      }
      if (rateCards.length === 0) {
        console.log('No rate card is published, so nothing can be priced: npx housebill rates publish <file>')
        console.log('(A sandbox publishes its two sample cards at its first start.)')
        return
      }
      const rows = rateCards.map((card) => [
        card.quotingToolVersionId,
        card.isDefault ? 'default' : card.isOnSale ? 'on sale' : 'not on sale',
        saleInWords(card.onSaleFrom, card.onSaleTo),
        formatInstant(card.publishedAt),
        card.name,
      ])
      console.log(alignRows([['ID', 'TODAY', 'MAY BE SOLD', 'PUBLISHED', 'NAME'], ...rows]))
    })

  rates
    .command('check')
    .description('Check a rate card file without publishing it, and name everything wrong with it. Needs no database.')
    .argument('<file>', 'a rate card as JSON')
    .addOption(jsonOption())
    .action(async (file: string, { json }: JsonOption) => {
      const card = await readRateCardFile(file)
      if (json) {
        printJson({ valid: true, quotingToolVersionId: card.id, name: card.name })
        return
      }
      console.log(`${file} can be published.`)
      console.log(describeCard(card, []))
    })
}

function describeCard(card: RateCard, more: readonly (readonly string[])[]): string {
  const packages = card.packages.map(({ packageId, isDefault }) => `${packageId}${isDefault ? ' (default)' : ''}`)
  return alignRows([
    ['id', card.id],
    ['name', card.name],
    ['may be sold', saleInWords(card.onSaleFrom ?? null, card.onSaleTo ?? null)],
    ['packages', packages.join(', ')],
    ...more,
  ])
}

function saleInWords(from: string | null, to: string | null): string {
  if (from === null && to === null) return 'always'
  return [from === null ? '' : `from ${from}`, to === null ? '' : `to ${to}`].filter((part) => part !== '').join(' ')
}

import { readRateCardFile } from '../../compose/rate-card-file.ts'
import { listRateCards } from '../../domain/rates/list-rate-cards.ts'
import { implausibleFigures } from '../../domain/rates/plausibility.ts'
import { publishRateCard } from '../../domain/rates/publish-rate-card.ts'
import type { RateCard } from '../../domain/rates/rate-card.ts'
import { systemClock } from '../../kernel/clock.ts'
import { CommandError } from '../../kernel/command-error.ts'
import { type JsonOption, printJson } from '../json-option.ts'
import { alignRows, formatInstant } from '../table.ts'
import { withDatabase } from '../with-database.ts'

export async function publishRateCardFile(file: string, { json }: JsonOption): Promise<void> {
  const card = await readRateCardFile(file)
  const { publication, isDefault } = await withDatabase('rates publish', async ({ db, operatorName }) => {
    const publication = await publishRateCard({ db }, card, operatorName)
    const listed = await listRateCards({ db, clock: systemClock })
    return { publication, isDefault: listed.find((each) => each.isDefault)?.quotingToolVersionId === card.id }
  })
  if (publication.outcome === 'refused') {
    throw new CommandError('refused', `${file} cannot be published`, { problems: publication.problems })
  }
  if (json) {
    printJson({ ...publication, name: card.name, isDefault })
    return
  }
  const isNew = publication.outcome === 'published'
  console.log(`${card.id} ${isNew ? 'is published' : 'was already published; nothing has changed'}.`)
  console.log(
    describeCard(card, [['default', isDefault ? 'yes: the most recently published card that is on sale' : 'no']]),
  )
}

export async function printRateCards({ json }: JsonOption): Promise<void> {
  const found = await withDatabase('rates list', ({ db }) => listRateCards({ db, clock: systemClock }))
  const rateCards = found.map(({ sha256: _, ...card }) => ({ ...card, isOnSale: card.state === 'on_sale' }))
  if (json) {
    printJson({ rateCards })
    return
  }
  if (rateCards.length === 0) {
    console.log(
      'No rate card is published, so nothing can be priced. Publish one with: npx housebill rates publish <file>',
    )
    console.log('(A sandbox publishes its two sample cards when it first starts.)')
    return
  }
  const rows = rateCards.map((card) => [
    card.quotingToolVersionId,
    card.isDefault ? 'default' : card.state.replace('_', ' '),
    saleInWords(card.onSaleFrom, card.onSaleTo),
    card.publishedAt === null ? '' : formatInstant(card.publishedAt),
    card.name,
  ])
  console.log(alignRows([['ID', 'TODAY', 'MAY BE SOLD', 'PUBLISHED', 'NAME'], ...rows]))
}

/** `rates check`: throws UnusableFileError naming every problem. Prints figures that look wrong as warnings. */
export async function checkRateCardFile(file: string, { json }: JsonOption): Promise<void> {
  const card = await readRateCardFile(file)
  const warnings = implausibleFigures(card)
  if (json) {
    printJson({ valid: true, quotingToolVersionId: card.id, name: card.name, warnings })
    return
  }
  console.log(`${file} can be published.`)
  console.log(describeCard(card, []))
  if (warnings.length === 0) return
  console.log('These figures look wrong. Check them before you publish the card:')
  for (const { pointer, detail } of warnings) console.log(`  - ${pointer}: ${detail}`)
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

/** The days on which a card may be sold, such as `from 2027-01-01 to 2027-03-31`. */
export function saleInWords(from: string | null, to: string | null): string {
  if (from === null && to === null) return 'always'
  return [from === null ? '' : `from ${from}`, to === null ? '' : `to ${to}`].filter((part) => part !== '').join(' ')
}

import { readRateCardFile } from '../../app/reference-data.ts'
import { cardAndDefault, effectOfWithdrawal, withdrawalInWords } from '../../back-office/rate-cards/withdrawal.ts'
import type { Database, Tx } from '../../platform/db/database.ts'
import { systemClock } from '../../platform/kernel/clock.ts'
import { CommandError } from '../../platform/kernel/command-error.ts'
import { londonDate } from '../../platform/kernel/dates.ts'
import { createRateCardCatalogue } from '../../quoting/rates/card-catalogue.ts'
import {
  compareRateCards,
  farOff,
  percentLimit,
  type RateCardComparison,
} from '../../quoting/rates/comparison/compare-rate-cards.ts'
import { withdrawRateCard } from '../../quoting/rates/life/change-rate-card.ts'
import { type RateCardLife, saleInWords, stateOf } from '../../quoting/rates/life/rate-card-life.ts'
import { listRateCards, loadRateCard } from '../../quoting/rates/load-rate-card.ts'
import { implausibleFigures } from '../../quoting/rates/plausibility.ts'
import { publishRateCard } from '../../quoting/rates/publish-rate-card.ts'
import type { RateCard } from '../../quoting/rates/rate-card.ts'
import { type JsonOption, print, printError, printJson, requireYes } from '../print.ts'
import { alignRows, formatInstant } from '../table.ts'
import { withDatabase } from '../with-database.ts'
import { describeSampleHomes } from './diff-action.ts'

export interface PublishOptions extends JsonOption {
  /** Publishes a card although it is far off the present one. */
  yes?: true
}

/** The command `rates publish`: rejects a card that is far off the present one without `--yes`. */
export async function publishRateCardFile(file: string, { yes, json }: PublishOptions): Promise<void> {
  const card = await readRateCardFile(file)
  const { publication, isDefault, effect } = await withDatabase('rates publish', async ({ db, operatorName }) => {
    const effect = await compareWithPresent(db, card)
    if (effect !== null && yes !== true) rejectFarOff(file, effect)
    const publication = await publishRateCard({ db }, card, operatorName)
    const listed = await listRateCards({ db, clock: systemClock })
    return { publication, isDefault: listed.find((each) => each.isDefault)?.quotingToolVersionId === card.id, effect }
  })
  if (publication.outcome === 'rejected') {
    throw new CommandError('rejected', `${file} cannot be published`, { problems: publication.problems })
  }
  if (json) {
    const comparedWith = effect?.before.quotingToolVersionId ?? null
    printJson({ ...publication, name: card.name, isDefault, comparedWith, homes: effect?.homes ?? [] })
    return
  }
  const isNew = publication.outcome === 'published'
  print(`${card.id} ${isNew ? 'is published' : 'was already published; nothing has changed'}.`)
  print(describeCard(card, [['default', isDefault ? 'yes: the most recently published card that is on sale' : 'no']]))
  if (effect !== null) print(describeEffect(effect).join('\n'))
}

/**
 * The card compared with the one that is the default today; null if there is none, or if a card has this id already.
 */
async function compareWithPresent(db: Database, card: RateCard): Promise<RateCardComparison | null> {
  const listed = await listRateCards({ db, clock: systemClock })
  const present = listed.find(({ isDefault }) => isDefault)
  if (present === undefined || listed.some(({ quotingToolVersionId }) => quotingToolVersionId === card.id)) return null
  return compareRateCards(await loadRateCard({ db }, present.quotingToolVersionId), card, londonDate(systemClock.now()))
}

function describeEffect(effect: RateCardComparison): string[] {
  return [
    '',
    `Compared with ${effect.before.quotingToolVersionId}, the default until now:`,
    ...describeSampleHomes(effect),
  ]
}

function rejectFarOff(file: string, effect: RateCardComparison): void {
  const problems = farOff(effect)
  if (problems.length === 0) return
  const present = effect.before.quotingToolVersionId
  const message = `${file} is not published: it is more than ${percentLimit} % off ${present}. If that is meant, publish it with --yes`
  throw new CommandError('rejected', message, {
    problems,
    text: [...describeEffect(effect), '', message].join('\n').trimStart(),
  })
}

export async function printRateCards({ json }: JsonOption): Promise<void> {
  const found = await withDatabase('rates list', ({ db }) => listRateCards({ db, clock: systemClock }))
  const rateCards = found.map(({ sha256: _, ...card }) => ({ ...card, isOnSale: card.state === 'on_sale' }))
  if (json) {
    printJson({ rateCards })
    return
  }
  if (rateCards.length === 0) {
    print('No rate card is published, so nothing can be priced. Publish one with: npx housebill rates publish <file>')
    print('(A sandbox publishes its two sample cards when it first starts.)')
    return
  }
  const rows = rateCards.map((card) => [
    card.quotingToolVersionId,
    card.isDefault ? 'default' : card.state.replace('_', ' '),
    saleInWords(card.onSaleFrom, card.onSaleTo),
    formatInstant(card.publishedAt),
    card.name,
  ])
  print(alignRows([['ID', 'TODAY', 'MAY BE SOLD', 'PUBLISHED', 'NAME'], ...rows]))
}

/** `rates check`: throws UnusableFileError naming every problem. Prints figures that look wrong as warnings. */
export async function checkRateCardFile(file: string, { json }: JsonOption): Promise<void> {
  const card = await readRateCardFile(file)
  const warnings = implausibleFigures(card)
  if (json) {
    printJson({ valid: true, quotingToolVersionId: card.id, name: card.name, warnings })
    return
  }
  print(`${file} can be published.`)
  print(describeCard(card, []))
  if (warnings.length === 0) return
  print('These figures look wrong. Check them before you publish the card:')
  for (const { pointer, detail } of warnings) print(`  - ${pointer}: ${detail}`)
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

export interface WithdrawOptions extends JsonOption {
  stopSigning?: boolean
  /** Asks nothing. */
  yes?: true
}

/** The command `rates withdraw`: says what the card prices and what becomes the default, and asks. */
export async function withdrawPublishedCard(
  quotingToolVersionId: string,
  { stopSigning = false, yes, json }: WithdrawOptions,
): Promise<void> {
  const { card, effect } = await withDatabase('rates withdraw', async ({ db, config, operatorName: by }) => {
    const deps = { db, clock: systemClock, cards: createRateCardCatalogue(), quotePolicy: config.quotes }
    const { card, effect } = await effectOfWithdrawal(deps, quotingToolVersionId)
    const isDone = card.withdrawnAt !== null && (!stopSigning || card.signingStoppedAt !== null)
    if (yes !== true && !isDone) {
      printError(alignRows(withdrawalInWords(effect)))
      const also = stopSigning ? ' and stop signing on it' : ''
      await requireYes(`Withdraw ${quotingToolVersionId} for ever${also}?`)
    }
    const check = async (tx: Tx) => {
      const { defaultId } = await cardAndDefault({ ...deps, db: tx }, quotingToolVersionId)
      if (yes === true || defaultId === effect.defaultId) return
      throw new CommandError('changed', 'Another card would become the default now. Nothing was changed: try again.')
    }
    return { card: await withdrawRateCard(deps, { quotingToolVersionId, by, stopSigning, check }), effect }
  })
  const quotes = stopSigning
    ? 'Quotes on it that nobody has signed are priced anew within minutes, while a service runs.'
    : 'Quotes priced on it are repriced when they expire.'
  report(card, effect.defaultId, json, `${quotingToolVersionId} is withdrawn. ${quotes}`, { effect })
  if (json !== true && yes === true) print(alignRows(withdrawalInWords(effect)))
}

function report(
  card: RateCardLife,
  defaultId: string | null,
  json: true | undefined,
  text: string,
  more: object = {},
): void {
  const { quotingToolVersionId, onSaleFrom, onSaleTo, partnerIds, withdrawnAt, signingStoppedAt } = card
  if (json) {
    const state = stateOf(card, londonDate(systemClock.now()))
    const dates = { onSaleFrom, onSaleTo, partnerIds, withdrawnAt, signingStoppedAt }
    printJson({ quotingToolVersionId, state, ...dates, defaultId, ...more })
    return
  }
  print(text)
  print(
    defaultId === null
      ? 'No rate card is on sale today, so nothing can be priced. Publish one with: npx housebill rates publish <file>'
      : `The default is now ${defaultId}.`,
  )
}

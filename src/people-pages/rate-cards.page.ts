import { publishRateCardRoute } from '../back-office/rate-cards/rate-cards.route.ts'
import { cardAndDefault, effectOfWithdrawal, withdrawalInWords } from '../back-office/rate-cards/withdrawal.ts'
import { checkedBody } from '../pages/checked-body.ts'
import { boxField, longTextField } from '../pages/fields.ts'
import { type Form, FormRejected, formOf, hiddenFields } from '../pages/form.ts'
import { html } from '../pages/html.ts'
import { confirmPage, dataTable, descriptionList } from '../pages/lists.ts'
import { requireShown, shownFigures } from '../pages/shown-figures.ts'
import { type IsoDate, londonDate } from '../platform/kernel/dates.ts'
import { DomainError } from '../platform/kernel/errors.ts'
import { formatPounds, pence } from '../platform/kernel/money.ts'
import { compareRateCards, farOff } from '../quoting/rates/comparison/compare-rate-cards.ts'
import { withdrawRateCard } from '../quoting/rates/life/change-rate-card.ts'
import { saleInWords } from '../quoting/rates/life/rate-card-life.ts'
import { listRateCards, loadRateCard } from '../quoting/rates/load-rate-card.ts'
import { implausibleFigures } from '../quoting/rates/plausibility.ts'
import { publishRateCard } from '../quoting/rates/publish-rate-card.ts'
import type { RateCard } from '../quoting/rates/rate-card.ts'
import type { DeskVisit, PersonPage } from './person-page.ts'
import { inWords } from './tasks.page.ts'

type ListedCard = Awaited<ReturnType<typeof listRateCards>>[number]

const columns = [
  { heading: 'Name', cell: ({ name }: ListedCard) => name },
  { heading: 'Id', cell: ({ quotingToolVersionId }: ListedCard) => html`<code>${quotingToolVersionId}</code>` },
  {
    heading: 'State',
    cell: ({ state, isDefault }: ListedCard) => `${state.replaceAll('_', ' ')}${isDefault ? ', the default' : ''}`,
  },
  { heading: 'On sale', cell: ({ onSaleFrom, onSaleTo }: ListedCard) => saleInWords(onSaleFrom, onSaleTo) },
  { heading: 'Published', cell: ({ publishedAt }: ListedCard) => inWords(publishedAt) },
]

/** Every rate card. */
export const rateCardsPage: PersonPage<DeskVisit> = {
  name: 'rate-cards',
  may: 'rates:write',
  menu: 'Rate cards',
  async show({ deps, path }) {
    const withdrawal = {
      heading: 'Withdraw',
      cell: ({ quotingToolVersionId: id, name, withdrawnAt, signingStoppedAt }: ListedCard) => {
        if (signingStoppedAt !== null) return 'signing stopped'
        const what = withdrawnAt === null ? 'Withdraw' : 'Stop signing'
        const page = path(`rate-cards/${encodeURIComponent(id)}/withdraw`)
        return html`<a href="${page}" aria-label="${what}: ${name}">${what}</a>`
      },
    }
    const list = {
      caption: 'Rate cards, the latest first',
      columns: [...columns, withdrawal],
      empty: 'There is no rate card.',
    }
    const body = html`<h1>Rate cards</h1>
<p><a class="button" href="${path('rate-cards/new')}">Publish a rate card</a></p>
${dataTable(list, await listRateCards(deps))}`
    return { title: 'Rate cards', body, isWide: true }
  },
}

/** Publishes a rate card, after saying what it changes. */
export const publishRateCardPage: PersonPage<DeskVisit> = {
  name: 'publish-rate-card',
  path: 'rate-cards/new',
  may: 'rates:write',
  needsRecentSignIn: true,
  takesFiles: true,
  async show({ session, path }, form) {
    const title = 'Publish a rate card'
    const field = longTextField(form, {
      name: 'card',
      label: 'The rate card, as JSON',
      hint: 'As "housebill rates check" checks it. You see what it changes before it is published.',
    })
    const body = html`<h1>${title}</h1>${formOf(session.formToken, field, 'Check it', { takesFiles: true })}`
    return { title, body, back: path('rate-cards') }
  },
  async submit(visit, form) {
    const { deps, path, person } = visit
    const card = cardIn(visit, form)
    if (form.text('confirmed') === '') return confirmation(visit, form, card)
    const published = await publishRateCard(deps, card, person.personId, async (tx) => {
      const compared = comparedWith(card, await defaultCard({ ...deps, db: tx }), londonDate(deps.clock.now()))
      requireShown(form, compared, changedSince, 'card')
    })
    if (published.outcome === 'rejected') throw rejectedCard(published.problems)
    return { goTo: path('rate-cards'), notice: 'card_published' }
  },
}

/** Withdraws a rate card, after saying what it prices and what becomes the default. */
export const withdrawRateCardPage: PersonPage<DeskVisit> = {
  name: 'withdraw-rate-card',
  path: 'rate-cards/:cardId/withdraw',
  may: 'rates:write',
  needsRecentSignIn: true,
  async show({ deps, session, path, parameters }, form) {
    const { card, effect } = await effectOfWithdrawal(deps, parameters.cardId ?? '')
    const isOnSale = card.withdrawnAt === null
    const title = isOnSale ? `Withdraw ${card.name}?` : `Stop signing on ${card.name}?`
    const hint =
      'Within minutes, quotes nobody has signed are priced on the default, and invited tenants get an e-mail.'
    const choice = isOnSale
      ? boxField(form, { name: 'stopSigning', label: 'Nobody signs on it any more', hint })
      : hiddenFields([['stopSigning', 'yes']])
    const body = html`<h1>${title}</h1>${descriptionList(withdrawalInWords(effect), 'figures')}
<p>${isOnSale ? 'Once it is withdrawn, it is never sold again.' : hint}</p>
${formOf(session.formToken, html`${choice}${shownFigures(effect.defaultId)}`, isOnSale ? 'Withdraw' : 'Stop signing')}
<p><a href="${path('rate-cards')}">Change nothing</a></p>`
    return { title, body, back: path('rate-cards') }
  },
  async submit({ deps, path, parameters: { cardId = '' }, person: { personId: by } }, form) {
    const stopSigning = form.chosen('stopSigning').includes('yes')
    await withdrawRateCard(deps, {
      ...{ quotingToolVersionId: cardId, by, stopSigning },
      check: async (tx) =>
        requireShown(form, (await cardAndDefault({ ...deps, db: tx }, cardId)).defaultId, changedSince),
    })
    return { goTo: path('rate-cards'), notice: stopSigning ? 'card_stopped' : 'card_withdrawn' }
  },
}

async function defaultCard(deps: Parameters<typeof listRateCards>[0]): Promise<ListedCard | undefined> {
  return (await listRateCards(deps)).find(({ isDefault }) => isDefault)
}

const changedSince =
  'What it changes is different now: another card is the default, or a new day has begun. Check it again.'

/** All that the comparison shown before publishing depends on: published figures never change. */
function comparedWith(card: RateCard, current: ListedCard | undefined, today: IsoDate) {
  return { card, current: current?.quotingToolVersionId, today }
}

async function confirmation(visit: DeskVisit, form: Form, card: RateCard) {
  const { deps, path } = visit
  const current = await defaultCard(deps)
  const today = londonDate(deps.clock.now())
  const effect = current && compareRateCards(await loadRateCard(deps, current.quotingToolVersionId), card, today)
  const differences = (effect?.homes ?? []).flatMap(({ difference }) => (difference ? [difference.yearlyCost] : []))
  const doubts = [...implausibleFigures(card), ...(effect === undefined ? [] : farOff(effect))]
  const change = (amount: number) => `${formatPounds(pence(Math.abs(amount)))} ${amount < 0 ? 'less' : 'more'}`
  const consequences = html`${descriptionList([
    ['Name', card.name],
    ['Id', html`<code>${card.id}</code>`],
    ['Source', card.source],
    ['On sale', saleInWords(card.onSaleFrom ?? null, card.onSaleTo ?? null)],
    [
      'Sample homes pay a year',
      differences.length === 0
        ? 'Cannot be compared: no card is on sale by default, or they have no packages in common.'
        : `From ${change(Math.min(...differences))} to ${change(Math.max(...differences))} than on ${current?.name}`,
    ],
  ])}
${doubts.length > 0 && html`<div class="notice bad"><h2>These figures look wrong</h2><ul>${doubts.map(({ pointer, detail }) => html`<li><code>${pointer}</code>: ${detail}</li>`)}</ul></div>`}
<p>On these days every partner can choose it, and it is the default of new quotes. Its figures can never be changed; you can withdraw it.</p>`
  return confirmPage(visit, {
    title: `Publish ${card.name}?`,
    back: path('rate-cards/new'),
    consequences,
    figures: comparedWith(card, current, today),
    hidden: { card: form.text('card'), confirmed: 'yes' },
    button: 'Publish',
    stay: { text: 'Do not publish it', path: path('rate-cards') },
    takesFiles: true,
  })
}

/** The card that was entered. Throws what is wrong with it, each with its place in the card. */
function cardIn({ caller, deps }: DeskVisit, form: Form): RateCard {
  try {
    const card = JSON.parse(form.longText('card'))
    checkedBody(publishRateCardRoute, { card }, { caller, deps })
    return card
  } catch (error) {
    if (error instanceof SyntaxError) throw rejectedCard([{ detail: `This is not JSON: ${error.message}` }])
    if (!(error instanceof DomainError)) throw error
    throw rejectedCard(error.fields.map(({ pointer, detail }) => ({ pointer: pointer.replace('/card', ''), detail })))
  }
}

function rejectedCard(problems: readonly { pointer?: string; detail: string }[]): FormRejected {
  return new FormRejected(
    problems.slice(0, 20).map(({ pointer = '', detail }) => ({ field: 'card', text: `${pointer} ${detail}`.trim() })),
  )
}

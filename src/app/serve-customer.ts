import type { Logger } from 'pino'
import type { Static, TSchema } from 'typebox'
import type { EndedContractObject } from '../contracts/ended-contract.schema.ts'
import { contractUrlRoute } from '../contracts/links/contract-url.route.ts'
import { createReplacementRoute, withdrawReplacementRoute } from '../contracts/replacements/create-replacement.route.ts'
import { resendMailsRoute } from '../contracts/resend-mails.route.ts'
import { cancelContractRoute } from '../contracts/termination/cancel-contract.route.ts'
import { endContractRoute } from '../contracts/termination/end-contract.route.ts'
import { createSetupIntentRoute } from '../onboarding/create-setup-intent.route.ts'
import { updateCustomerRoute } from '../onboarding/update-customer.route.ts'
import { dependenciesOfPartner } from '../partners/dependencies-of-partner.ts'
import type { Config } from '../platform/config/config.ts'
import type { Secrets } from '../platform/config/secrets.ts'
import type { Databases } from '../platform/db/databases.ts'
import type { RouteMethod, TypedRoute } from '../platform/http/route.ts'
import { bodyValidator, queryValidator, rejectInvalidFields } from '../platform/http/validation.ts'
import { systemClock } from '../platform/kernel/clock.ts'
import { isId } from '../platform/kernel/ids.ts'
import { formatPounds, pence } from '../platform/kernel/money.ts'
import { callerForCustomer } from '../privacy/caller-for-customer.ts'
import { compose } from './compose.ts'

interface Opened {
  config: Config
  secrets: Secrets
  databases: Databases
  log: Logger
}

/** What a command asks of an operation. */
export interface CommandRequest {
  query: Record<string, unknown>
  /** Undefined for an operation without a body. */
  body: Record<string, unknown> | undefined
}

/** What came of an operation. */
interface Outcome {
  /** The response of the API, for programs. */
  response: object
  /** The same for people. */
  lines: readonly string[]
}

type Run = (opened: Opened, id: string, request: CommandRequest) => Promise<Outcome | undefined>

/**
 * An operation as a command runs it: `lines` says for people what came of it, and `always` is sent whatever the
 * options.
 */
function serves<Reply extends TSchema>(
  route: TypedRoute<RouteMethod, string, Reply>,
  lines: (response: Static<Reply>, opened: Opened, request: CommandRequest) => readonly string[],
  always: Record<string, unknown> = {},
): Run {
  return async (opened, id, { query, body }) => {
    const request = { query, body: route.body === undefined ? undefined : { ...body, ...always } }
    const response = await runOperation(opened, route, id, request)
    return response === undefined
      ? undefined
      : { response: response as object, lines: lines(response, opened, request) }
  }
}

const runs = {
  cancel: serves(cancelContractRoute, (ended, _, { query }) => [...describeDryRun(query), ...describeEnding(ended)]),
  end: serves(endContractRoute, (ended, _, { query }) => [...describeDryRun(query), ...describeEnding(ended)]),
  replace: serves(createReplacementRoute, ({ customerId, replaces, from, leaver, joiner }, _, { query }) => [
    ...describeDryRun(query),
    `${customerId ?? 'The new tenant'} takes over the share of ${replaces} from ${from}, once they have accepted the terms.`,
    `If they accept today, they pay ${pounds(joiner.totalCost)} until ${joiner.endsOn}, ${pounds(joiner.monthlyCost)} a month.`,
    ...describeEnding(leaver),
  ]),
  'withdraw-replacement': serves(withdrawReplacementRoute, ({ customerId, withdrawn }) => [
    `${withdrawn} was removed. The contract of ${customerId} goes on.`,
  ]),
  correct: serves(updateCustomerRoute, ({ customerId, personalDetails: { firstName, lastName, email, phone } }) => [
    `${customerId} is now ${firstName} ${lastName}, ${email}, ${phone ?? 'without a phone number'}.`,
  ]),
  'change-card': serves(
    createSetupIntentRoute,
    ({ setupIntentId, clientSecret }, { config: { payments, server } }) => {
      const page =
        payments.processor === 'sandbox'
          ? `${server.publicUrl}/sandbox/card-setup/${setupIntentId}`
          : payments.cardPageUrl
      // Browsers send the fragment to nobody, so the secret is in no log.
      if (page !== undefined) return [`${page}#client_secret=${encodeURIComponent(clientSecret)}`]
      return [
        clientSecret,
        'This is the client secret of the card form. Send the tenant a link to a page of yours that gives it to Stripe.js, with the secret in the fragment: https://…/card#client_secret=….',
        'With CARD_PAGE_URL, this command prints the link.',
      ]
    },
    { replace: true },
  ),
  'resend-mails': serves(resendMailsRoute, ({ customerId, kinds }) => [
    `${customerId} is sent again: ${kinds.join(', ')}.`,
  ]),
  'contract-link': serves(contractUrlRoute('html'), ({ contractUrl, expiresAt }) => [
    contractUrl,
    `It works until ${expiresAt}.`,
  ]),
} satisfies Record<string, Run>

/** The commands that serve a customer, one for each operation. */
export type ServingCommandName = keyof typeof runs

/** Runs an operation for a command of the operator; undefined if no partner has the customer. */
export function serveCustomer(
  opened: Opened,
  name: ServingCommandName,
  customerId: string,
  request: CommandRequest,
): Promise<Outcome | undefined> {
  return runs[name](opened, customerId, request)
}

/**
 * Runs a partner's operation on a customer, whatever the partner's status, with the checks of a request. Returns what
 * the API returns, or undefined if no partner has the customer.
 */
async function runOperation<Reply extends TSchema>(
  opened: Opened,
  route: TypedRoute<RouteMethod, string, Reply>,
  customerId: string,
  { query, body }: CommandRequest,
): Promise<Static<Reply> | undefined> {
  if (!isId('tenant', customerId)) return undefined
  const caller = await callerForCustomer({ databases: opened.databases, clock: systemClock }, customerId)
  if (caller === undefined) return undefined
  const { services, upstreams, closeRenderer } = await compose(opened, { clock: systemClock })
  try {
    rejectInvalidFields(
      [
        ...(route.query === undefined ? [] : queryValidator(route.query)(query)),
        ...(route.body === undefined ? [] : bodyValidator(route.body)(body)),
      ],
      route.refine?.(body, caller, services) ?? [],
    )
    const result = await route.handle(
      // Commands have no limit.
      { ...dependenciesOfPartner(services, caller), upstreamAllowance: { charge: async () => undefined } },
      { caller, scopes: [route.scope], id: customerId, parameter: () => '', query, body },
    )
    // This cast is safe: `present` makes a response of the route's own type.
    return route.present(result, { now: caller.now, quotePolicy: services.quotePolicy }) as Static<Reply>
  } finally {
    await Promise.all([closeRenderer(), upstreams.close()])
  }
}

function pounds(amount: number): string {
  return formatPounds(pence(amount))
}

function describeDryRun({ dryRun }: CommandRequest['query']): string[] {
  return dryRun === undefined ? [] : ['This was a dry run: nothing has changed.']
}

function describeEnding({ contract, finalStatement }: Static<typeof EndedContractObject>): string[] {
  const { supplyCost, setupCost, exitFee, priceReduction, totalCost, alreadyPaid } = finalStatement
  const { waivedAmount, owedAgainAmount, refundAmount, refundBy, amountDue } = finalStatement
  const parts = [
    [waivedAmount, 'Given up'],
    [owedAgainAmount, 'Owed again and not back on the plan'],
  ] as const
  return [
    `The contract ${contract.contractNumber} is ${contract.status}, with the last day ${contract.endedOn}.`,
    `Owed in total: ${pounds(totalCost)} (supply ${pounds(supplyCost)}, set-up ${pounds(setupCost)}, exit fee ${pounds(exitFee)}${priceReduction > 0 ? `, reduction ${pounds(priceReduction)}` : ''}). Paid: ${pounds(alreadyPaid)}.`,
    ...parts.flatMap(([amount, label]) => (amount > 0 ? [`${label}: ${pounds(amount)}.`] : [])),
    refundBy === null
      ? `Still to be collected: ${pounds(amountDue)}.`
      : `To be paid back by ${refundBy}: ${pounds(refundAmount)}.`,
  ]
}

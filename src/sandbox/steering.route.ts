import Type, { type Static } from 'typebox'
import {
  type Behaviour,
  type BroadbandDatabaseOutcome,
  broadbandDatabaseOutcomes,
  defaultSlowSeconds,
  type HomeTelecomOutcome,
  homeTelecomOutcomes,
  maxSlowSeconds,
} from '../broadband/upstream-behaviour.ts'
import { defaultProcessorBehaviour } from '../payments/sandbox-processor.ts'
import { route } from '../platform/http/route.ts'
import { Choice, RequestObject, ResponseObject } from '../platform/http/schemas/named.ts'
import { Flag, Id, WholeNumber } from '../platform/http/schemas/values.ts'
import type { FieldError } from '../platform/kernel/errors.ts'
import { steerBroadband } from './steer-broadband.ts'
import { steerProcessor } from './steer-processor.ts'

const outageFields = { down: Flag('Whether the payment processor is down.') }

export const steerProcessorOutageRoute = route({
  operationId: 'sandboxSteerProcessorOutage',
  method: 'POST',
  path: '/Sandbox/payment-processor/outage',
  tag: 'Sandbox',
  summary: 'Take the payment processor down or bring it back',
  description:
    'Applies to your customers only, until you change it, and persists across restarts. While the processor is down, every call that needs it returns 503.',
  scope: 'sandbox:steer',
  sandboxOnly: true,
  body: RequestObject('SimulateOutageRequest', 'Whether to take the payment processor down.', outageFields),
  reply: ResponseObject('SimulatedOutage', 'Whether the payment processor is down.', outageFields),
  errors: ['service_unavailable'],
  handle: (deps, { caller, body }) => steerProcessor(deps, caller, { down: body.down }),
  present: ({ down }) => ({ down }),
})

const DelaySeconds = WholeNumber({ minimum: 0, maximum: 600, description: 'How many seconds each webhook is delayed.' })
const Lost = Flag('Whether webhooks are dropped.')

export const steerProcessorWebhooksRoute = route({
  operationId: 'sandboxSteerProcessorWebhooks',
  method: 'POST',
  path: '/Sandbox/payment-processor/webhooks',
  tag: 'Sandbox',
  summary: "Delay or drop the payment processor's webhooks",
  description:
    'Applies to your customers only, from the next change on, and persists across restarts. Fields you leave out return to their defaults, so `{}` restores normal behaviour. While any setting is not the default, Housebill learns of outcomes only from these webhooks, not from the response to the sandbox call that caused them.',
  scope: 'sandbox:steer',
  sandboxOnly: true,
  body: RequestObject('SimulateProcessorWebhooksRequest', "How the payment processor's webhooks arrive.", {
    delaySeconds: Type.Optional(DelaySeconds),
    lost: Type.Optional(Lost),
  }),
  reply: ResponseObject('SimulatedProcessorWebhooks', "How the payment processor's webhooks arrive.", {
    delaySeconds: DelaySeconds,
    lost: Lost,
  }),
  errors: ['service_unavailable'],
  handle: (deps, { caller, body }) => {
    const { down: _asItIs, ...prompt } = defaultProcessorBehaviour
    return steerProcessor(deps, caller, { ...prompt, ...body })
  },
  present: ({ delaySeconds, lost }) => ({ delaySeconds, lost }),
})

const Seconds = WholeNumber({
  minimum: 1,
  maximum: maxSlowSeconds,
  description: `How many seconds a response takes; only with \`slow\`. Defaults to ${defaultSlowSeconds}.`,
})
const homeTelecomFields = {
  outcome: Choice(homeTelecomOutcomes, 'How the provider behaves; `ok` is normal.'),
  seconds: Type.Optional(Seconds),
}
const broadbandDatabaseFields = {
  outcome: Choice(broadbandDatabaseOutcomes, 'How the provider behaves; `ok` is normal.'),
  seconds: Type.Optional(Seconds),
}
const aboutHomeTelecom = 'How the simulated Home Telecom behaves.'
const aboutBroadbandDatabase = 'How the simulated broadband database behaves.'
const HomeTelecom = ResponseObject('HomeTelecomBehaviour', aboutHomeTelecom, homeTelecomFields)
const BroadbandDatabase = ResponseObject('BroadbandDatabaseBehaviour', aboutBroadbandDatabase, broadbandDatabaseFields)

function secondsErrors(body: unknown): FieldError[] {
  const halves = (body ?? {}) as Record<string, { outcome?: unknown; seconds?: unknown } | null | undefined>
  return ['homeTelecom', 'broadbandDatabase']
    .filter((half) => halves[half]?.seconds !== undefined && halves[half]?.outcome !== 'slow')
    .map((half) => ({
      pointer: `/${half}/seconds`,
      code: 'not_allowed',
      detail: 'seconds is only allowed with the outcome slow. Leave the field out.',
    }))
}

export const steerBroadbandRoute = route({
  operationId: 'sandboxSteerBroadband',
  method: 'POST',
  path: '/Sandbox/broadband/{id}',
  tag: 'Sandbox',
  summary: 'Simulate broadband provider failures for an address',
  description:
    'From now on, the simulated providers behave like this for your calls about this address; other partners are not affected. A provider you leave out keeps its behaviour; `ok` restores the normal one. While a provider is simulated to misbehave, its results are not stored.',
  idDescription: 'addressUid',
  scope: 'sandbox:steer',
  sandboxOnly: true,
  body: RequestObject('SimulateBroadbandRequest', 'How the simulated providers behave.', {
    homeTelecom: Type.Optional(RequestObject('SimulateHomeTelecom', aboutHomeTelecom, homeTelecomFields)),
    broadbandDatabase: Type.Optional(
      RequestObject('SimulateBroadbandDatabase', aboutBroadbandDatabase, broadbandDatabaseFields),
    ),
  }),
  refine: secondsErrors,
  reply: ResponseObject('SimulatedBroadband', 'How the simulated providers behave for your calls about this address.', {
    addressUid: Id('The id of the property.'),
    homeTelecom: HomeTelecom,
    broadbandDatabase: BroadbandDatabase,
  }),
  errors: ['validation_failed', 'service_unavailable'],
  handle: (deps, { caller, id, body }) =>
    steerBroadband(deps, caller, {
      addressUid: id,
      behaviours: {
        ...(body.homeTelecom === undefined ? {} : { homeTelecom: read<HomeTelecomOutcome>(body.homeTelecom) }),
        ...(body.broadbandDatabase === undefined
          ? {}
          : { broadbandDatabase: read<BroadbandDatabaseOutcome>(body.broadbandDatabase) }),
      },
    }),
  present: ({ addressUid, homeTelecom, broadbandDatabase }) => ({
    addressUid,
    homeTelecom: present(homeTelecom) as Static<typeof HomeTelecom>,
    broadbandDatabase: present(broadbandDatabase) as Static<typeof BroadbandDatabase>,
  }),
})

function read<Outcome extends HomeTelecomOutcome | BroadbandDatabaseOutcome>(given: {
  outcome: Outcome
  seconds?: number
}): Behaviour<Outcome> {
  return { outcome: given.outcome, seconds: given.outcome === 'slow' ? (given.seconds ?? defaultSlowSeconds) : null }
}

function present<Outcome extends HomeTelecomOutcome | BroadbandDatabaseOutcome>({
  outcome,
  seconds,
}: Behaviour<Outcome>): { outcome: Outcome; seconds?: number } {
  return { outcome, ...(seconds === null ? {} : { seconds }) }
}

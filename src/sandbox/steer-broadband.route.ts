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
import { route } from '../platform/http/route.ts'
import { Choice, RequestObject, ResponseObject } from '../platform/http/schemas/named.ts'
import { Id, WholeNumber } from '../platform/http/schemas/values.ts'
import type { FieldError } from '../platform/kernel/errors.ts'
import { steerBroadband } from './steer-broadband.ts'

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

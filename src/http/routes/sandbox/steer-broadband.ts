import Type, { type Static, type TSchema } from 'typebox'
import {
  type Behaviour,
  type BroadbandDatabaseOutcome,
  broadbandDatabaseOutcomes,
  type HomeTelecomOutcome,
  homeTelecomOutcomes,
  slowestSeconds,
  usualSlowSeconds,
} from '../../../domain/broadband/steering.ts'
import { steerBroadband } from '../../../domain/sandbox/steer-broadband.ts'
import type { FieldError } from '../../../kernel/errors.ts'
import { route } from '../../route.ts'
import { Id, Whole } from '../../wire/values.ts'

const Seconds = Whole({
  minimum: 1,
  maximum: slowestSeconds,
  description: `how long an answer takes, with slow only; ${usualSlowSeconds} unless given`,
})
const behaviour = <Outcome extends TSchema>(outcome: Outcome) =>
  Type.Object({ outcome, seconds: Type.Optional(Seconds) }, { additionalProperties: false })

/** With their type said beside the words, so that a number is of the wrong type (400) and not a refused value (422). */
const HomeTelecom = behaviour(Type.Enum([...homeTelecomOutcomes], { type: 'string' }))
const BroadbandDatabase = behaviour(Type.Enum([...broadbandDatabaseOutcomes], { type: 'string' }))

function secondsBreaches(body: unknown): FieldError[] {
  const halves = (body ?? {}) as Record<string, { outcome?: unknown; seconds?: unknown } | null | undefined>
  return ['homeTelecom', 'broadbandDatabase']
    .filter((half) => halves[half]?.seconds !== undefined && halves[half]?.outcome !== 'slow')
    .map((half) => ({
      pointer: `/${half}/seconds`,
      code: 'not_allowed',
      detail: 'Only the outcome slow takes seconds. Leave them out.',
    }))
}

export const steerBroadbandRoute = route({
  operationId: 'sandboxSteerBroadband',
  method: 'POST',
  path: '/Sandbox/broadband/{id}',
  tag: 'Sandbox',
  summary: 'Let the broadband upstreams fail for an address',
  description:
    'From now on the simulated upstreams behave like this for your calls about this address, and nobody else’s. A half that is left out stays as it was; ok gives it back. While a half is steered its answers are not kept.',
  idDescription: 'addressUid',
  scope: 'sandbox:steer',
  sandboxOnly: true,
  body: Type.Object(
    { homeTelecom: Type.Optional(HomeTelecom), broadbandDatabase: Type.Optional(BroadbandDatabase) },
    { additionalProperties: false },
  ),
  refine: secondsBreaches,
  reply: Type.Object(
    { addressUid: Id(), homeTelecom: HomeTelecom, broadbandDatabase: BroadbandDatabase },
    { additionalProperties: false },
  ),
  errors: ['validation_failed', 'service_unavailable'],
  handle: (services, { caller, id, body }) =>
    steerBroadband(services, caller, {
      addressUid: id,
      steering: {
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
  return { outcome: given.outcome, seconds: given.outcome === 'slow' ? (given.seconds ?? usualSlowSeconds) : null }
}

function present<Outcome extends HomeTelecomOutcome | BroadbandDatabaseOutcome>({
  outcome,
  seconds,
}: Behaviour<Outcome>): { outcome: Outcome; seconds?: number } {
  return { outcome, ...(seconds === null ? {} : { seconds }) }
}

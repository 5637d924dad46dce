import Type from 'typebox'

/**
 * Shapes of the objects that commands print with --json, with the members that tests read. Other members are allowed.
 */

const OrNull = Type.Union([Type.String(), Type.Null()])

/** The output of any command that fails. */
export const CommandError = Type.Object({
  error: Type.Object({
    code: Type.String(),
    message: Type.String(),
    problems: Type.Optional(Type.Array(Type.Object({ pointer: Type.Optional(Type.String()), detail: Type.String() }))),
  }),
})

/** The output of `partner create`. */
export const IssuedCredentials = Type.Object({
  partnerId: Type.String(),
  clientId: Type.String(),
  clientSecret: Type.String(),
})

/** The output of `rates publish`. */
export const PublishResult = Type.Object({
  outcome: Type.String(),
  isDefault: Type.Boolean(),
  comparedWith: OrNull,
  homes: Type.Array(Type.Unknown()),
})

/** The output of `rates list`. */
export const RateCards = Type.Object({
  rateCards: Type.Array(
    Type.Object({
      quotingToolVersionId: Type.String(),
      state: Type.String(),
      publishedAt: Type.String(),
      isDefault: Type.Boolean(),
      changes: Type.Array(Type.Object({ change: Type.String(), by: Type.String(), at: Type.String() })),
    }),
  ),
})

/** The output of `rates diff`. */
export const RateCardDifferences = Type.Object({
  figures: Type.Array(Type.Object({ pointer: Type.String(), before: Type.Unknown(), after: Type.Unknown() })),
  homes: Type.Array(
    Type.Object({
      region: Type.String(),
      tenants: Type.Integer(),
      hasGas: Type.Boolean(),
      difference: Type.Object({ yearlyCost: Type.Integer(), monthlyCost: Type.Integer(), percent: Type.Number() }),
    }),
  ),
})

/** The output of `addresses import`. */
export const ImportResult = Type.Object({
  rows: Type.Integer(),
  inserted: Type.Integer(),
  unchanged: Type.Integer(),
  rejectedRows: Type.Integer(),
  rejected: Type.Array(Type.Unknown()),
  problems: Type.Integer(),
})

/** The output of `addresses stats`. */
export const AddressStats = Type.Object({
  properties: Type.Integer(),
  bySource: Type.Object({ sample: Type.Integer(), import: Type.Integer() }),
  byRegion: Type.Array(Type.Object({ properties: Type.Integer() })),
  withoutRegion: Type.Integer(),
})

/** The output of `audit list`. */
export const AuditEntries = Type.Object({
  entries: Type.Array(
    Type.Object({
      at: Type.String(),
      actor: Type.String(),
      credential: OrNull,
      operation: OrNull,
      action: Type.String(),
      fields: Type.Array(Type.String()),
    }),
  ),
})

/** The output of `keys status`, and of `keys replace encryption`. */
export const KeyStatus = Type.Object({
  keys: Type.Array(Type.Object({ keyId: Type.String(), values: Type.Integer(), state: Type.String() })),
})

const Step = Type.Object({
  number: Type.Integer(),
  name: Type.String(),
  path: Type.String(),
  status: Type.Union([Type.Integer(), Type.Null()]),
  answer: Type.String(),
})

/** The output of `journey` unless a step failed. */
export const JourneyOutput = Type.Object({
  outcome: Type.String(),
  quoteId: Type.String(),
  totalCost: Type.Integer(),
  cardNeeded: Type.Union([
    Type.Null(),
    Type.Object({ because: Type.String(), customerId: Type.String(), setupIntentId: Type.String() }),
  ]),
  contracts: Type.Array(Type.Object({ totalCost: Type.Integer(), html: Type.String(), pdf: Type.String() })),
  steps: Type.Array(Step),
})

/** The output of `journey` if a step failed. */
export const FailedJourneyOutput = Type.Object({
  outcome: Type.String(),
  steps: Type.Array(Step),
  error: Type.Object({
    message: Type.String(),
    remedy: Type.String(),
    step: Type.Object({ status: Type.Union([Type.Integer(), Type.Null()]) }),
    problem: Type.Optional(Type.Object({ error: Type.Optional(Type.String()) })),
  }),
})

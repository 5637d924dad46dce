import Type, { type Static } from 'typebox'
import { endHouseholdRoute } from '../../contracts/household-end/household-end.route.ts'
import { hasTooManyValues } from '../../platform/http/plugins/body.ts'
import { type RefineBody, route } from '../../platform/http/route.ts'
import {
  Choice,
  described,
  documentedAs,
  Nullable,
  RequestObject,
  ResponseObject,
} from '../../platform/http/schemas/named.ts'
import {
  cursorAfter,
  encodeCursor,
  idFromCursor,
  matchCursor,
  PageOf,
  PageQuery,
  pageFields,
} from '../../platform/http/schemas/page.ts'
import { Count, Flag, GivenId, Id, Text, Timestamp, timestamp } from '../../platform/http/schemas/values.ts'
import { listLimitBytes } from '../../platform/http/server-limits.ts'
import { bodyValidator } from '../../platform/http/validation.ts'
import type { FieldError } from '../../platform/kernel/errors.ts'
import { matchAddressesRoute } from '../../properties/matching/match-addresses.route.ts'
import { maxTenants } from '../../quoting/quote-limits.ts'
import { GivenNextOccupier } from '../../quoting/quotes/occupiers.schema.ts'
import { createHouseholdRoute, InvitedTenant } from '../create-household.route.ts'
import { cancelImport, changeImport, createImport, type ImportPage, readImport, readImports } from './change-imports.ts'
import { type Import, importKinds, importRetentionDays, rowOutcomes } from './import.ts'

/** The most rows of an import. */
export const mostRows = 500

const household = createHouseholdRoute.body
const end = endHouseholdRoute.body
const line = matchAddressesRoute.body
if (household === undefined || end === undefined || line === undefined) throw new Error('an operation takes no body')
const AddressLine = line.properties.lines.items

/** A household to make: as POST /Households takes it, or with its address as somebody wrote it. */
export const StartRow = RequestObject(
  'ImportedHousehold',
  'A household to quote and invite, as `POST /Households` takes it. Instead of `addressUid`, you can send its address as it was written: the row fails unless it is certain which property is meant.',
  {
    ...household.properties,
    addressUid: Type.Optional(household.properties.addressUid),
    address: Type.Optional(AddressLine),
  },
)

/** A tenancy that ends, with one of `quoteId`, `reference` and `address`. */
export const EndRow = RequestObject(
  'ImportedEnd',
  'A tenancy that ends, as `POST /Quotes/{id}/end-household` takes it: its tenants are asked, and nothing ends by itself. Say which household with one of `quoteId`, `reference` and `address`; by the last two, its contracts are in force.',
  {
    ...end.properties,
    lastDay: Type.String({ format: 'date', maxLength: 10, description: 'The last day of the tenancy.' }),
    quoteId: Type.Optional(GivenId('The id of its quote.')),
    reference: Type.Optional(household.properties.reference),
    address: Type.Optional(AddressLine),
    nextOccupier: Type.Optional(GivenNextOccupier),
  },
)

const checks = { start: bodyValidator(StartRow), end: bodyValidator(EndRow) }
const identifiers = { start: ['addressUid', 'address'], end: ['quoteId', 'reference', 'address'] }

/** What a schema of one list with two kinds of row would say less clearly: at most 100 errors. */
const rowErrors: RefineBody = (body, caller, services) => {
  const { kind, rows } = (body ?? {}) as { kind?: unknown; rows?: unknown }
  if ((kind !== 'start' && kind !== 'end') || !Array.isArray(rows)) return []
  const errors: FieldError[] = []
  for (const [index, row] of rows.entries()) {
    if (errors.length >= 100) break
    errors.push(
      ...errorsOfRow(kind, row, caller, services).map((each) => ({
        ...each,
        pointer: `/rows/${index}${each.pointer}`,
      })),
    )
  }
  return errors.slice(0, 100)
}

/** Everything that is wrong with a row. */
export function errorsOfRow(
  kind: (typeof importKinds)[number],
  row: unknown,
  ...[caller, services]: [Parameters<RefineBody>[1], Parameters<RefineBody>[2]]
): FieldError[] {
  if (hasTooManyValues(row)) return [{ pointer: '', code: 'too_long', detail: 'The row has too many values.' }]
  const found = checks[kind](row)
  const given = identifiers[kind].filter((name) => (row as Record<string, unknown> | null)?.[name] !== undefined)
  if (given.length !== 1)
    found.push({ pointer: '', code: 'required', detail: `Send one of ${identifiers[kind].join(', ')}.` })
  return kind === 'end' ? found : [...found, ...(createHouseholdRoute.refine?.(row, caller, services) ?? [])]
}

const names = Object.keys({ ...StartRow.properties, ...EndRow.properties })
const Row = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, {}])),
  additionalProperties: false,
})
const Rows = (description: string) =>
  documentedAs(
    Type.Array(Row, { minItems: 1, maxItems: mostRows, description }),
    Type.Array(Type.Union([StartRow, EndRow]), { minItems: 1, maxItems: mostRows, description }),
  )
const Draft = Type.String({
  maxLength: 1_000_000,
  description: 'A text of your own about rows that are not ready, which is kept encrypted and returned as it is.',
})

const ImportRowObject = ResponseObject('ImportRow', 'A row of an import, and what came of it.', {
  row: Type.Integer({ minimum: 1, maximum: mostRows, description: 'Its number, from 1.' }),
  outcome: Choice(
    ['pending', ...rowOutcomes],
    '`done`: the household was made, or its tenants are asked. `unchanged`: a household with its `reference` was there. `failed`: see `problem`. `cancelled`: you cancelled it before it began.',
  ),
  quoteId: Nullable(Id('The quote; null without one.')),
  problem: Nullable(
    ResponseObject('ImportProblem', 'Why a row failed.', {
      code: Text(100, 'The code of the error that the operation returns.'),
      detail: Text(2_000, 'How to fix it.'),
      pointer: Text(300, 'The place in the row, as a JSON pointer; empty for the whole row.'),
    }),
  ),
  tenants: Type.Array(InvitedTenant, {
    maxItems: maxTenants,
    description: 'The tenants of a new household with their links, as `POST /Households` returns them.',
  }),
  sent: Nullable(
    Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      description: 'The row as you sent it; null after somebody of the household was erased.',
    }),
  ),
})

const summaryFields = {
  importId: Id('The id of the import.'),
  kind: Choice(importKinds, '`start`: households to make. `end`: tenancies that end.'),
  state: Choice(
    ['draft', 'running', 'paused', 'finished'],
    '`draft`: it has no rows. `running`: rows are pending, and done within minutes. `paused`: rows are pending and none begins, because more than 3 % and at least three of the tenants who were e-mailed were not who was meant, or have addresses that refuse e-mails. `finished`: no row is pending.',
  ),
  createdAt: Timestamp('When it was created.'),
  counts: ResponseObject('ImportCounts', 'How many rows there are of each outcome.', {
    pending: Count('Rows to do.'),
    done: Count('Rows that were done.'),
    unchanged: Count('Rows whose household was there.'),
    failed: Count('Rows that failed.'),
    cancelled: Count('Rows that you cancelled.'),
  }),
}
const ImportSummary = ResponseObject('ImportSummary', 'An import, and how far it is.', summaryFields)
const ImportObject = ResponseObject('Import', 'A list of rows, and how far it is.', {
  ...summaryFields,
  draft: Nullable(described(Draft, 'Your text; null if you sent none.')),
  ...pageFields(ImportRowObject, { description: 'Its rows, in their order.' }),
})

function presentSummary({
  importId,
  kind,
  counts,
  begunAt,
  pausedAt,
  createdAt,
}: Import): Static<typeof ImportSummary> {
  const underWay = counts.pending === 0 ? 'finished' : pausedAt === null ? 'running' : 'paused'
  return { importId, kind, state: begunAt === null ? 'draft' : underWay, createdAt: timestamp(createdAt), counts }
}

function present({ rows, hasMore, ...found }: ImportPage): Static<typeof ImportObject> {
  return {
    ...presentSummary(found),
    draft: found.draft,
    data: rows.map(({ row, outcome, quoteId, content }) => ({
      ...{ row, outcome: outcome ?? 'pending', quoteId },
      problem: content?.problem ?? null,
      tenants: [...(content?.tenants ?? [])] as Static<typeof InvitedTenant>[],
      sent: content?.sent ?? null,
    })),
    nextCursor: encodeCursor(hasMore ? String(rows.at(-1)?.row ?? 0) : null),
  }
}

const scopes = { scope: 'customers:onboard', alsoScope: 'quotes:write' } as const
const id = (sent: string) => sent as `import_${string}`

export const createImportRoute = route({
  operationId: 'createImport',
  method: 'POST',
  path: '/Imports',
  tag: 'Quotes',
  summary: 'Make or end many households',
  description: `Takes up to ${mostRows} rows and does them in the background, each for itself and exactly once: \`start\` as \`POST /Households\`, \`end\` as \`POST /Quotes/{id}/end-household\`, with the next occupier first. Each row is checked before anything is stored. A row that fails keeps none of the others. With a \`reference\` and \`onDuplicateReference: return\`, the same list once more makes nothing twice. Without rows it is a draft, which keeps a text of yours until you send rows. All is deleted ${importRetentionDays} days after its last change. The body can have 1 MiB.`,
  ...scopes,
  bodyLimit: listLimitBytes,
  body: RequestObject('CreateImportRequest', 'The rows, or a draft.', {
    kind: Choice(importKinds, '`start`: households to make. `end`: tenancies that end.'),
    rows: Type.Optional(Rows('The rows, all of this kind.')),
    draft: Type.Optional(Draft),
  }),
  refine: rowErrors,
  reply: ImportObject,
  errors: ['validation_failed'],
  handle: (deps, { caller, body }) => createImport(deps, caller, body),
  present,
})

export const getImportRoute = route({
  operationId: 'getImport',
  method: 'GET',
  path: '/Imports/{id}',
  tag: 'Quotes',
  summary: 'Read how far an import is',
  idDescription: 'importId',
  ...scopes,
  query: Type.Object(PageQuery, { additionalProperties: false }),
  reply: ImportObject,
  errors: ['validation_failed'],
  handle: (deps, { caller, id: importId, query: { cursor, limit = 20 } }) =>
    readImport(deps, caller, id(importId), {
      after: cursor === undefined ? 0 : Number(matchCursor(cursor, /^\d{1,3}$/)[0]),
      limit,
    }),
  present,
})

export const listImportsRoute = route({
  operationId: 'listImports',
  method: 'GET',
  path: '/Imports',
  tag: 'Quotes',
  summary: 'List your imports, newest first',
  ...scopes,
  query: Type.Object(PageQuery, { additionalProperties: false }),
  reply: PageOf('ImportList', ImportSummary),
  errors: ['validation_failed'],
  handle: (deps, { caller, query: { cursor, limit = 20 } }) =>
    readImports(deps, caller, { after: idFromCursor(cursor, 'import'), limit }),
  present: ({ imports, hasMore }) => ({
    data: imports.map(presentSummary),
    nextCursor: cursorAfter(imports, hasMore, ({ importId }) => importId),
  }),
})

export const updateImportRoute = route({
  operationId: 'updateImport',
  method: 'PATCH',
  path: '/Imports/{id}',
  tag: 'Quotes',
  summary: 'Change a draft, begin its rows, or go on',
  description: 'Changes what you send. Rows begin at once and cannot be changed after that.',
  idDescription: 'importId',
  ...scopes,
  bodyLimit: listLimitBytes,
  body: RequestObject(
    'UpdateImportRequest',
    'What to change.',
    {
      kind: Type.Optional(Choice(importKinds, 'The kind of the import, which is required with rows.')),
      rows: Type.Optional(Rows('The rows, all of the kind of the import.')),
      draft: Type.Optional(Nullable(described(Draft, 'Replaces your text; null to delete it.'))),
      goOn: Type.Optional(Flag('Whether to go on with an import that is paused.')),
    },
    { minProperties: 1 },
  ),
  refine: rowErrors,
  reply: ImportObject,
  errors: ['validation_failed', 'import_begun'],
  handle: (deps, { caller, id: importId, body }) => changeImport(deps, caller, id(importId), body),
  present,
})

export const cancelImportRoute = route({
  operationId: 'cancelImport',
  method: 'POST',
  path: '/Imports/{id}/cancel',
  tag: 'Quotes',
  summary: 'Cancel the rows of an import that have not begun',
  description: 'Rows that are done stay as they are. A draft loses its text.',
  idDescription: 'importId',
  ...scopes,
  reply: ImportObject,
  handle: (deps, { caller, id: importId }) => cancelImport(deps, caller, id(importId)),
  present,
})

import Type from 'typebox'
import { Choice } from '../../platform/http/schemas/named.ts'
import { wrongCursor } from '../../platform/http/schemas/page.ts'
import { DateOnly, GivenId, WholeNumber } from '../../platform/http/schemas/values.ts'
import { isoDate } from '../../platform/kernel/dates.ts'
import { decodeFeedCursor } from '../contract-feed/feed-cursor.ts'
import { type FileResponse, type OperatorDependencies, operatorFile } from '../http/operator-route.ts'
import { endOfExport } from './export-end.ts'
import { exportColumns, exportPages } from './export-file.ts'
import type { ExportFormat, ExportKind } from './export-page.ts'
import { ExportFormatName, fileResponse } from './file-response.ts'

const cursorHeader = 'Housebill-Next-Cursor'

const feedQuery = {
  format: ExportFormatName,
  since: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: `The \`${cursorHeader}\` of the previous file: only what changed since. Leave it out to read everything.`,
    }),
  ),
  limit: Type.Optional(
    WholeNumber({
      minimum: 1,
      maximum: 1_000_000,
      description:
        'Ends the file after this many entries of the feed, to fetch it in parts. Leave it out to read to the end.',
    }),
  ),
}
const feedFile = {
  replyHeaders: { [cursorHeader]: 'Send this as `since` to get the next part, or what changed since.' },
  errors: ['validation_failed', 'feed_reset'] as const,
}

export const exportContractsRoute = operatorFile({
  ...feedFile,
  operationId: 'exportContracts',
  path: '/Contracts/export',
  tag: 'Contracts',
  summary: 'Export contracts',
  description:
    'Returns a file of all contracts, of all meter points or of all broadband orders, each once as it is now. The response is sent as it is read: a response that breaks off is incomplete, so request it again.',
  scope: 'contracts:read',
  query: Type.Object(
    {
      kind: Type.Optional(
        Choice(
          ['contracts', 'supply', 'broadband'],
          'One line for each contract (`contracts`), for each meter point of a household (`supply`) or for each broadband product to order (`broadband`). Defaults to `contracts`.',
        ),
      ),
      quotingToolVersionId: Type.Optional(GivenId('Only contracts that were priced on this rate card.')),
      ...feedQuery,
    },
    { additionalProperties: false },
  ),
  streams: (deps, { query: { kind = 'contracts', ...query } }) => feedExport(deps, kind, query),
})

export const exportPriorityServicesRoute = operatorFile({
  ...feedFile,
  operationId: 'exportPriorityServices',
  path: '/PriorityServices/export',
  tag: 'Priority Services Register',
  summary: 'Export needs',
  description:
    'Returns a file of the customers with needs to register, each once as it is now. It contains health data.',
  scope: 'psr:read',
  query: Type.Object(feedQuery, { additionalProperties: false }),
  streams: (deps, { query }) => feedExport(deps, 'register', query),
})

export const exportPaymentsRoute = operatorFile({
  replyHeaders: {},
  errors: ['validation_failed'],
  operationId: 'exportPayments',
  path: '/Payments/export',
  tag: 'Payments',
  summary: 'Export payments due',
  description: 'Returns a file of the payments that are owed: those that are scheduled and those that failed.',
  scope: 'payments:read',
  query: Type.Object(
    { dueBefore: Type.Optional(DateOnly('Only payments that are due before this day.')), format: ExportFormatName },
    { additionalProperties: false },
  ),
  streams: async (deps, { query }) => {
    const dueBefore = query.dueBefore === undefined ? undefined : isoDate(query.dueBefore)
    return fileOf(deps, 'payments', { dueBefore }, query.format)
  },
})

async function feedExport(
  deps: OperatorDependencies,
  kind: ExportKind,
  {
    since,
    limit,
    format,
    quotingToolVersionId,
  }: { since?: string; limit?: number; format?: ExportFormat; quotingToolVersionId?: string },
): Promise<FileResponse> {
  const after = since === undefined ? undefined : decodeFeedCursor(since)
  if (since !== undefined && after === undefined) throw wrongCursor('since')
  const end = await endOfExport(deps, kind, { after, count: limit })
  const file = fileOf(deps, kind, { since, until: end?.until, quotingToolVersionId }, format)
  return end === undefined ? file : { ...file, headers: { [cursorHeader]: end.cursor } }
}

function fileOf(
  deps: OperatorDependencies,
  kind: ExportKind,
  request: Parameters<typeof exportPages>[2],
  format: ExportFormat = 'csv',
): FileResponse {
  const pages = exportPages({ ...deps, now: deps.clock.now() }, kind, request)
  return fileResponse(pages, { columns: exportColumns[kind], format })
}

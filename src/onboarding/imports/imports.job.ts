import type { Static } from 'typebox'
import type { DeploymentDependencies, RouteDependencies } from '../../app/http/route-dependencies.ts'
import { endHouseholdRoute } from '../../contracts/household-end/household-end.route.ts'
import { updateOccupiersRoute } from '../../contracts/occupiers/occupiers.route.ts'
import type { Caller } from '../../partners/caller.ts'
import { dependenciesOfPartner } from '../../partners/dependencies-of-partner.ts'
import { handleAll } from '../../platform/jobs/handle-all.ts'
import type { ScheduledJob } from '../../platform/jobs/scheduler.ts'
import { invalidFields } from '../../platform/kernel/errors.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { type AddressLine, matchAddresses } from '../../properties/matching/match-addresses.ts'
import { createHouseholdRoute } from '../create-household.route.ts'
import type { DueImport, ImportRow, RowContent } from './import.ts'
import { type EndRow, errorsOfRow, type StartRow } from './imports.route.ts'
import { failRow, findHousehold, hasToWait, listDue, pendingRows, recorderOf } from './work-rows.ts'

/** Every minute, does the rows of imports that are pending. */
export function importsJob(deps: DeploymentDependencies): ScheduledJob {
  const batch = 50
  return {
    name: 'work-imports',
    everyMinutes: 1,
    atMinute: 0,
    run: (signal) =>
      handleAll<DueImport>({
        listAfter: (after) => listDue(deps.databases.system, { after: after?.importId, limit: batch }),
        handle: (due) => {
          const { partnerId, createdBy: credential, importId: requestId } = due
          const origin = { actor: 'client', credential, requestId, operation: 'createImport' } as const
          const own = dependenciesOfPartner(deps, { partnerId, origin })
          return workImport({ ...own, upstreamAllowance: { charge: async () => undefined } }, due, () => signal.aborted)
        },
        batch,
        isStopping: () => signal.aborted,
      }),
  }
}

/** Does at once what the job does for one partner. */
export async function workImportsOf(deps: RouteDependencies, { partnerId }: Caller): Promise<void> {
  for (const due of await listDue(deps.db, { after: undefined, limit: 50, partnerId }))
    await workImport(deps, due, () => false)
}

/** After how many rows it is looked whether the e-mails arrive. */
const rowsBetweenLooks = 20

/**
 * Does the pending rows of an import in their order, each in a transaction that also records what came of it: a row
 * that was interrupted is repeated and never done twice. A row that fails for a reason that may pass is tried again by
 * later runs; the first such failure is thrown after all others are done.
 */
async function workImport(deps: RouteDependencies, due: DueImport, isStopping: () => boolean): Promise<void> {
  const rows = await pendingRows(deps, due)
  const now = new Date(deps.clock.now().getTime() + due.clockOffsetSeconds * 1_000)
  const caller: Caller = { partnerId: due.partnerId, clientId: due.createdBy, requestId: due.importId, now }
  const work = due.kind === 'start' ? startHousehold : endTenancy
  await handleAll<ImportRow>({
    async listAfter(after) {
      if (await hasToWait(deps, due)) return []
      const from = after === undefined ? 0 : rows.indexOf(after) + 1
      return rows.slice(from, from + rowsBetweenLooks)
    },
    handle: (row) =>
      work({ deps, caller, due, row }, row.content?.sent ?? {}).catch((error: unknown) =>
        failRow(deps, due, row, error),
      ),
    batch: rowsBetweenLooks,
    isStopping,
  })
}

interface Working {
  deps: RouteDependencies
  caller: Caller
  due: DueImport
  row: ImportRow
}

async function startHousehold(working: Working, sent: RowContent['sent']): Promise<void> {
  const { deps, caller, due, row } = working
  // Days have passed since the rows were checked, if something was not available.
  const errors = errorsOfRow('start', sent, caller, deps)
  if (errors.length > 0) throw invalidFields(errors)
  // Safe: that was checked by its schema.
  const { address, ...household } = sent as Static<typeof StartRow>
  const body = { ...household, addressUid: household.addressUid ?? (await propertyOf(deps, caller, address)) }
  const { present } = createHouseholdRoute
  const responseRecorder = recorderOf(deps, due, row, (result) => {
    const made = present(result, { ...caller, quotePolicy: deps.quotePolicy }) as Made
    const isNew = made.createdAt === caller.now.toISOString()
    return { outcome: isNew ? 'done' : 'unchanged', quoteId: made.quoteId as Id<'quote'>, tenants: made.tenants }
  })
  await createHouseholdRoute.handle(deps, { ...request, caller: { ...caller, responseRecorder }, body })
}

type Made = Static<(typeof createHouseholdRoute)['reply']>

/** What the operations are asked with, besides a body. */
const request = { scopes: [], id: '', parameter: () => '', query: {} }

async function endTenancy({ deps, caller, due, row }: Working, sent: RowContent['sent']): Promise<void> {
  // Safe: it was checked by its schema before it was stored.
  const { quoteId, reference, address, nextOccupier, ...body } = sent as Static<typeof EndRow>
  const id =
    (quoteId as Id<'quote'> | undefined) ??
    (await findHousehold(
      deps,
      due.partnerId,
      reference === undefined ? { addressUid: await propertyOf(deps, caller, address) } : { reference },
    ))
  if (nextOccupier !== undefined)
    await updateOccupiersRoute.handle(deps, { ...request, caller, id, body: { nextOccupier } })
  const responseRecorder = recorderOf(deps, due, row, () => ({ outcome: 'done', quoteId: id }))
  await endHouseholdRoute.handle(deps, { ...request, caller: { ...caller, responseRecorder }, id, body })
}

/** The property that an address certainly means. Throws `address_not_found`. */
async function propertyOf(
  deps: RouteDependencies,
  caller: Caller,
  address: string | AddressLine | undefined,
): Promise<string> {
  const lines = [typeof address === 'string' ? { address } : (address ?? { address: '' })]
  const [match] = await matchAddresses(deps, caller, lines)
  const [candidate] = match?.candidates ?? []
  if (match?.outcome === 'sure' && candidate !== undefined) return candidate.property.addressUid
  const why = match?.reason ?? 'several properties may be meant'
  const detail = `The address is not certain: ${why.replaceAll('_', ' ')}. Find it with POST /Addresses/match and send its addressUid.`
  throw invalidFields([{ pointer: '/address', code: 'address_not_certain', detail }], 'address_not_found')
}

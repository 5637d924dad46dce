import { appRole } from '../runtime-roles.ts'
import { withClient } from '../with-client.ts'

/** The tables from which partners' requests delete nothing in live. */
const keptInLive = [
  'availability_requests',
  'broadband_checks',
  'commission_closings',
  'commission_entries',
  'contract_acknowledgements',
  'contract_corrections',
  'contract_versions',
  'contracts',
  'events',
  'processor_deletions',
  'quotes',
  'service_reports',
]

/**
 * Lets a sandbox's partners delete their own rows: row-level security still hides all others. In live, nobody gets these rights. Safe to repeat.
 */
export async function allowSandboxReset(ownerUrl: string): Promise<void> {
  await withClient(ownerUrl, async (owner) => {
    await owner.query(`
      create or replace function public.is_sandbox() returns boolean language sql immutable as 'select true';
      grant delete on ${keptInLive.join(', ')} to ${appRole};
      grant insert, update (position, event_id) on removed_events to ${appRole}`)
  })
}

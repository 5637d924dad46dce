import { clearFaults } from '../../../domain/sandbox/faults/clear-faults.ts'
import { maxFaults } from '../../../domain/sandbox/faults/fault.ts'
import { route } from '../../route.ts'
import { ResponseObject } from '../../wire/named.ts'
import { WholeNumber } from '../../wire/values.ts'

export const clearFaultsRoute = route({
  operationId: 'sandboxClearFaults',
  method: 'DELETE',
  path: '/Sandbox/faults',
  tag: 'Sandbox',
  summary: 'Remove all faults',
  description: 'From now on, every operation behaves as it does by default.',
  scope: 'sandbox:steer',
  sandboxOnly: true,
  reply: ResponseObject('ClearedFaults', 'The faults that were removed.', {
    removed: WholeNumber({ minimum: 0, maximum: maxFaults, description: 'How many faults had calls left.' }),
  }),
  handle: (services, { caller }) => clearFaults(services, caller),
  present: (removed) => ({ removed }),
})

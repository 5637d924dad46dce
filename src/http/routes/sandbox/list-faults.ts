import Type from 'typebox'
import { maxFaults } from '../../../domain/sandbox/faults/fault.ts'
import { listFaults } from '../../../domain/sandbox/faults/list-faults.ts'
import { route } from '../../route.ts'
import { ResponseObject } from '../../wire/named.ts'
import { FaultObject, presentFault } from '../../wire/sandbox/fault.ts'

export const listFaultsRoute = route({
  operationId: 'sandboxListFaults',
  method: 'GET',
  path: '/Sandbox/faults',
  tag: 'Sandbox',
  summary: 'List the faults that have calls left',
  scope: 'sandbox:steer',
  sandboxOnly: true,
  reply: ResponseObject('SandboxFaultList', 'Your faults, in the order in which they act.', {
    data: Type.Array(FaultObject, { maxItems: maxFaults, description: 'The faults.' }),
  }),
  handle: (services, { caller }) => listFaults(services, caller),
  present: (faults) => ({ data: faults.map(presentFault) }),
})

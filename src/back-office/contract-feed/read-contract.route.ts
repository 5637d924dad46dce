import Type from 'typebox'
import { ResponseObject } from '../../platform/http/schemas/named.ts'
import { operatorRoute } from '../http/operator-route.ts'
import { ContractRecordObject, presentContractRecord } from './contract-record.schema.ts'
import { presentTimeline, TimelineEntry } from './feed.schema.ts'
import { readContract } from './read-contract.ts'

const ContractWithTimeline = ResponseObject('ContractWithTimeline', 'A contract as it is now, with its changes.', {
  record: ContractRecordObject,
  timeline: Type.Array(TimelineEntry, { maxItems: 100_000, description: 'The changes of the contract, oldest first.' }),
})

export const readContractRoute = operatorRoute({
  operationId: 'getOperatorContract',
  path: '/Contracts/{number}',
  tag: 'Contracts',
  summary: 'Get a contract',
  description: 'Returns a contract of any partner as it is now, with its timeline.',
  idDescription: 'The contract number',
  scope: 'contracts:read',
  reply: ContractWithTimeline,
  handle: (deps, _caller, { parameter }) => readContract(deps, parameter('number')),
  present: ({ record, versions }) => ({ record: presentContractRecord(record), timeline: presentTimeline(versions) }),
})

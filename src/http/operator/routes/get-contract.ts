import Type from 'typebox'
import { readContract } from '../../../domain/contract-feed/read-contract.ts'
import { ResponseObject } from '../../wire/named.ts'
import { operatorRead } from '../operator-route.ts'
import { ContractRecordObject, presentContractRecord } from '../wire/contract-record.ts'
import { presentTimeline, TimelineEntry } from '../wire/feed.ts'

const ContractWithTimeline = ResponseObject('ContractWithTimeline', 'A contract as it is now, with its changes.', {
  record: ContractRecordObject,
  timeline: Type.Array(TimelineEntry, { maxItems: 100_000, description: 'The changes of the contract, oldest first.' }),
})

export const getContractRoute = operatorRead({
  operationId: 'getOperatorContract',
  path: '/Contracts/{number}',
  tag: 'Contracts',
  summary: 'Get a contract',
  description: 'Returns a contract of any partner as it is now, with its timeline.',
  idDescription: 'The contract number',
  scope: 'contracts:read',
  reply: ContractWithTimeline,
  reads: (services, _caller, { parameter }) => readContract(services, parameter('number')),
  present: ({ record, versions }) => ({ record: presentContractRecord(record), timeline: presentTimeline(versions) }),
})

import { ContractNumber } from '../../contracts/contract.schema.ts'
import { Choice, Nullable, ResponseObject } from '../../platform/http/schemas/named.ts'
import { pageFields } from '../../platform/http/schemas/page.ts'
import { DateOnly, Id, Timestamp } from '../../platform/http/schemas/values.ts'
import { taskKindNames, taskKinds } from './task-kinds.ts'

export const maxTaskPage = 1_000

const kindWords = Object.entries(taskKinds).map(([kind, words]) => `- \`${kind}\`: ${words}`)
const TaskObject = ResponseObject('Task', 'Something that waits for the operator. The ids say what it is about.', {
  kind: Choice(taskKindNames, `What there is to do.\n\n${kindWords.join('\n')}`),
  since: Timestamp('Since when it waits, on the clock of the partner.'),
  due: Nullable(DateOnly('The day by which it must be done; null if there is none.')),
  partnerId: Id('The id of the partner.'),
  quoteId: Nullable(Id('The id of the quote.')),
  customerId: Nullable(Id('The id of the customer.')),
  contractNumber: Nullable(ContractNumber),
  entryId: Nullable(Id('The id of the payment.')),
  reportId: Nullable(Id('The id of the payment that belongs to nothing.')),
})

export const TaskList = ResponseObject('TaskList', 'One page of a list.', pageFields(TaskObject, { max: maxTaskPage }))

import { Count, Id, Text } from '../../platform/http/schemas/values.ts'
import { messageSchema } from '../../webhooks/event.schema.ts'
import type { DescribedMessage } from '../../webhooks/events.openapi.ts'
import { versionMessageType } from './read-contract-feed.ts'

const summary = 'A contract has a new version'

/** The messages that the operator's webhooks get. */
export const operatorMessages: readonly DescribedMessage[] = [
  {
    type: versionMessageType,
    summary,
    schema: messageSchema(versionMessageType, summary, {
      contractNumber: Id('The contract number.'),
      version: Count('The version. Messages may arrive in any order: skip what is not newer than what you have.'),
      position: Text(100, 'The cursor that continues the feed after this version: `?after=`.'),
    }),
    example: {
      id: 'event_01m7w4kmmrf228899q5c8ptd31',
      type: versionMessageType,
      timestamp: '2026-11-20T09:29:10.000Z',
      data: { contractNumber: '4821-7730-9150', version: 3, position: 'NGQ3ZTFiOWMyYTUwLjQy' },
    },
  },
]

import { route } from '../../platform/http/route.ts'
import { presentReplay, ReplayObject } from '../replay.schema.ts'
import { getReplay } from './get-replay.ts'

export const getReplayRoute = route({
  operationId: 'getReplay',
  method: 'GET',
  path: '/Replays/{id}',
  tag: 'Webhooks',
  summary: "Get a replay's progress",
  idDescription: 'replayId',
  scope: 'webhooks:manage',
  reply: ReplayObject,
  handle: (services, { caller, id }) => getReplay(services, caller, id),
  present: presentReplay,
})

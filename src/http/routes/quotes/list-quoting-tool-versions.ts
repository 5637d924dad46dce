import Type from 'typebox'
import { listQuotingToolVersions } from '../../../domain/quotes/list-quoting-tool-versions.ts'
import { route } from '../../route.ts'
import { Id, Text } from '../../wire/values.ts'

const Version = Type.Object({ id: Id(), name: Text(200), isDefault: Type.Boolean() }, { additionalProperties: false })

export const listQuotingToolVersionsRoute = route({
  operationId: 'listQuotingToolVersions',
  method: 'GET',
  path: '/Quotes/quoting-tool-versions',
  tag: 'Quotes',
  summary: 'List the published rate cards that may be sold today',
  description: 'The default, used when a quote names none, comes first. The list may be cached.',
  scope: 'quotes:read',
  reply: Type.Object({ versions: Type.Array(Version, { maxItems: 1_000 }) }, { additionalProperties: false }),
  handle: (services, { caller }) => listQuotingToolVersions(services, caller),
  present: (versions) => ({
    versions: versions.map(({ quotingToolVersionId, name }, index) => ({
      id: quotingToolVersionId,
      name,
      isDefault: index === 0,
    })),
  }),
})

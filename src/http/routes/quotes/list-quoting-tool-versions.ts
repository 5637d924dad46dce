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
  summary: 'List the quoting tool versions you can use today',
  description:
    'Each version is a published rate card. The default comes first; a quote uses it unless you choose another. You can cache the list.',
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

import { NamedChoice } from '../../platform/http/schemas/named.ts'
import { supplyReasonNames } from './supply-report.ts'

export const SupplyReasonName = NamedChoice(
  'SupplyReason',
  supplyReasonNames,
  'Why a supply does not go as it should. `objected`: the present supplier objected. `erroneous_transfer`: the supply of another home was moved, or that of this home by another supplier. `cancelled_by_consumer`: the supplier was told that somebody in the home called it off. `wrong_meter`: the supplier has the meter of another home. New reasons may be added.',
)

import { sumCosts } from './cost-figures.ts'
import type { CostFigures, PricedLine, QuotePrice, TenantShare } from './price.ts'

/** A tenant's share of one package: the sum of the package's lines. */
export interface CustomerPackage extends CostFigures {
  /** The package's first line; for broadband, the main line before the add-ons. */
  first: PricedLine
  name: string
  lines: { line: PricedLine; own: CostFigures }[]
}

/**
 * The tenant's share of each package, in the order of the price's lines. Packages that `nameOf` does not know have
 * their line's name.
 */
export function customerPackages(
  price: QuotePrice,
  share: TenantShare,
  nameOf: (packageId: string) => string | undefined,
): CustomerPackage[] {
  const packages = new Map<string, CustomerPackage['lines']>()
  for (const [index, line] of price.lines.entries()) {
    const own = share.lines[index]
    if (own === undefined) throw new RangeError("the share's lines do not match the household's")
    packages.set(line.packageId, [...(packages.get(line.packageId) ?? []), { line, own }])
  }
  return [...packages].flatMap(([packageId, lines]) =>
    lines.slice(0, 1).map(({ line: first }) => ({
      ...sumCosts(lines.map(({ own }) => own)),
      first,
      name: nameOf(packageId) ?? first.name,
      lines,
    })),
  )
}

/**
 * The id of the service that each line provides, unique among the lines: the product's id or, without a product, the
 * package's. An id that another line has already is preceded by the package's.
 */
export function serviceIds(lines: readonly Pick<PricedLine, 'packageId' | 'productId'>[]): string[] {
  const ids = new Set<string>()
  for (const { packageId, productId } of lines) {
    let id = productId ?? packageId
    while (ids.has(id)) id = `${packageId}/${id}`
    ids.add(id)
  }
  return [...ids]
}

import { type Answer, type HeaderField, jsonAnswer } from '#gateway/http/answer.ts'
import { PAGE_POLICY } from '#gateway/http/headers.ts'
import { launchingEntries } from '#gateway/http/launchingEntries.ts'
import { problem } from '#gateway/http/problem.ts'
import { defineRoute, type Route } from '#gateway/http/route.ts'
import { chooseEncoding, type SiteFile } from '#gateway/http/site.ts'
import type { Sources } from '#gateway/http/sources.ts'
import { NO_PARAMETERS } from '#resources/resource.ts'

/** The label of all files in metrics, since their names change with every build. */
const LABEL = 'console'

export function siteRoutes({ site, config }: Pick<Sources, 'site' | 'config'>): readonly Route[] {
  if (site === null) return [missingRoute()]
  return [...Array.from(site, ([path, file]) => fileRoute(path, file)), settingsRoute(config)]
}

function fileRoute(path: string, file: SiteFile): Route {
  const headers: HeaderField[] = [['Content-Type', file.contentType]]
  if (path === '/') headers.push(PAGE_POLICY)
  return {
    path,
    label: LABEL,
    parameters: NO_PARAMETERS,
    access: 'public',
    limited: false,
    cacheControl: file.immutable ? 'forever' : 'revalidate',
    description: null,
    async handle(_, { acceptEncoding }): Promise<Answer> {
      const { bytes, tag, encoding } = chooseEncoding(file, acceptEncoding)
      const own: readonly HeaderField[] = encoding === null ? headers : [...headers, ['Content-Encoding', encoding]]
      return { kind: 'answer', status: '200 OK', headers: own, body: bytes, tag }
    },
  }
}

/** The route of the page's settings. It is beside the page, so that its relative URL works below a path prefix. */
function settingsRoute(config: Pick<Sources['config'], 'explorerUrl' | 'launchpads' | 'integrations'>): Route {
  return defineRoute({ path: '/console.json', cacheControl: 'revalidate', limited: false, description: null }, async () =>
    jsonAnswer({
      explorerUrl: config.explorerUrl,
      launchpads: launchingEntries(config.launchpads).map(({ name }) => name),
      mcp: config.integrations.includes('mcp'),
    }),
  )
}

function missingRoute(): Route {
  return defineRoute({ path: '/', cacheControl: 'never', limited: false, description: null }, async () =>
    problem(404, 'not_found', 'the console is not built here: npm run build makes it, for the next start'),
  )
}

import { pathTemplate } from '#gateway/http/route.ts'
import { TAGS } from '#resources/resource.ts'
import { closeRows, realtimeRules } from './asyncApi.ts'
import { schemaFacts } from './llmsText.ts'
import {
  type DescribedParameter,
  type DescribedRoute,
  type DescribedService,
  describedRoutes,
  describeParameters,
  type JsonObject,
  problemRows,
  requestRules,
  SUMMARY,
  TITLE,
  VALUE_RULES,
} from './openApi.ts'

/** A part of the documentation that is shown by itself. */
interface Group {
  readonly id: string
  readonly title: string
  /** The `id` and the HTML of the links to its entries. */
  readonly links: readonly (readonly [id: string, text: string])[]
  readonly content: string
}

/**
 * The documentation as a page of HTML, which shows one group at a time. It is made of the same parts as the other descriptions. It loads
 * nothing but its own script and style, by relative URLs, so that it works below a path prefix.
 */
export function docsPage(service: DescribedService, openApi: JsonObject, asyncApi: JsonObject): string {
  const schemas = { ...schemasOf(asyncApi), ...schemasOf(openApi) }
  const messages = Object.entries((asyncApi['components'] as { readonly messages: Readonly<Record<string, DocumentedMessage>> }).messages)
  const rules = list([...VALUE_RULES, ...requestRules(service.limits)])
  const messageList = `${list(realtimeRules(service))}${messages.map(messageSection).join('\n')}`
  const groups: readonly Group[] = [
    { id: 'rules', title: 'Rules', links: [], content: rules },
    ...Object.entries(TAGS).map(([tag, meaning]) => groupOfTag(tag, meaning, service)),
    { id: 'messages', title: 'Messages of the WebSocket', links: [], content: messageList },
    { id: 'codes', title: 'Codes', links: [], content: codeTables() },
    {
      id: 'schemas',
      title: 'Schemas',
      links: [],
      content: Object.entries(schemas)
        .map(([id, schema]) => schemaSection(id, schema))
        .join('\n'),
    },
  ]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${TITLE}: documentation</title>
<link rel="stylesheet" href="docs/page.css">
<script src="docs/page.js" defer></script>
</head>
<body>
<nav aria-label="Contents">
<strong>${TITLE} ${escapeHtml(service.version)}</strong>
${groups.map(navOf).join('\n')}
</nav>
<main>
<h1>${TITLE}</h1>
<p>${prose(SUMMARY)}</p>
<p><a href="openapi.json">OpenAPI 3.1</a> · <a href="asyncapi.json">AsyncAPI 3.0</a> · <a href="llms.txt">llms.txt</a></p>
${groups.map(({ id, title, content }) => `<section class="group" id="${id}"><h2>${title}</h2>\n${content}</section>`).join('\n')}
</main>
</body>
</html>
`
}

function navOf({ id, title, links }: Group): string {
  const inner = links.map(([to, text]) => `<a href="#${to}"><code>${escapeHtml(text)}</code></a>`).join('\n')
  return `<a class="to-group" href="#${id}">${title}</a>${inner === '' ? '' : `\n<div data-group="${id}">${inner}</div>`}`
}

function groupOfTag(tag: string, meaning: string, service: DescribedService): Group {
  const routes = describedRoutes(service.routes).filter(({ description }) => description.tag === tag)
  return {
    id: tag,
    title: tag,
    links: routes.map(route => [route.description.id, pathTemplate(route)]),
    content: [`<p>${prose(meaning)}</p>`, ...routes.map(route => routeSection(route, service))].join('\n'),
  }
}

function codeTables(): string {
  const problems = problemRows().map(([code, statuses, meaning]) => [`<code>${code}</code>`, statuses, prose(meaning)])
  const closes = closeRows().map(([code, meaning]) => [`<code>${code}</code>`, prose(meaning)])
  return table(['Problem', 'Status', 'Meaning'], problems) + table(['Close code', 'Meaning'], closes)
}

interface DocumentedMessage {
  readonly name: string
  readonly summary: string
  readonly payload: DocumentedSchema
  readonly examples?: readonly { readonly payload: unknown }[]
}

interface DocumentedSchema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, DocumentedSchema>>
  readonly items?: DocumentedSchema
  readonly anyOf?: readonly DocumentedSchema[]
  readonly enum?: readonly unknown[]
  readonly const?: string | number | boolean
}

function schemasOf(document: JsonObject): Readonly<Record<string, DocumentedSchema>> {
  return (document['components'] as { readonly schemas: Readonly<Record<string, DocumentedSchema>> }).schemas
}

function routeSection(route: DescribedRoute, { examples }: DescribedService): string {
  const { id, summary, answer } = route.description
  const parameters = describeParameters(route.parameters)
  const example = examples.answers[id]
  const isTriable = answer !== null && !('contentType' in answer && answer.contentType === 'text/event-stream')
  return `<section class="route" id="${id}">
<h3><code>GET ${escapeHtml(pathTemplate(route))}</code></h3>
<p>${prose(summary)}.${route.access === 'operator' ? ' For operators only.' : ''}</p>
${isTriable ? tryForm(route, parameters) : parameterTable(parameters)}
${example === undefined ? '' : `<details><summary>Example</summary><p><code>${escapeHtml(example.request)}</code></p>${json(example.body)}</details>`}
</section>`
}

function parameterTable(parameters: readonly DescribedParameter[]): string {
  if (parameters.length === 0) return ''
  return table(
    ['Parameter', 'Values', 'Meaning'],
    parameters.map(parameter => [`<code>${parameter.name}</code>`, facts(parameter), prose(parameter.description)]),
  )
}

function tryForm(route: DescribedRoute, parameters: readonly DescribedParameter[]): string {
  const rows = parameters.map(parameter => {
    const { name, description, required } = parameter
    const named = `id="${route.description.id}-${name}" name="${name}"${required ? ' required' : ''}`
    const input = choiceOf(parameter, named) ?? `<input ${named} autocomplete="off" spellcheck="false">`
    return [`<label for="${route.description.id}-${name}"><code>${name}</code></label>`, input, facts(parameter), prose(description)]
  })
  const token = `<label>Operator token <input type="password" data-token autocomplete="off"></label> `
  return `<form data-path="${escapeHtml(pathTemplate(route))}">
${rows.length === 0 ? '' : table(['Parameter', 'Value', 'Values', 'Meaning'], rows)}
<p>${route.access === 'public' ? '' : token}<button>Try it</button></p>
<div class="result" aria-live="polite" hidden><p><code data-url></code> <strong data-status></strong></p><pre tabindex="0"><code data-body></code></pre></div>
</form>`
}

/** The HTML of a choice of a parameter's values; `null`: it takes other values than a few words. */
function choiceOf({ schema }: DescribedParameter, named: string): string | null {
  const several = schema.type === 'array' ? schema.items?.enum : undefined
  const words = schema.type === 'boolean' ? ['true', 'false'] : (several ?? schema.enum)
  if (words === undefined) return null
  const options = words.map(word => `<option>${escapeHtml(word)}</option>`).join('')
  return several === undefined
    ? `<select ${named}><option></option>${options}</select>`
    : `<select ${named} multiple size="${several.length}">${options}</select>`
}

function facts({ required, schema }: DescribedParameter): string {
  return escapeHtml([...(required ? ['required'] : []), ...schemaFacts(schema)].join('; '))
}

function messageSection([name, { summary, payload, examples = [] }]: readonly [string, DocumentedMessage]): string {
  const example = examples[0]
  return `<section class="route" id="message-${name}"><h3><code>${escapeHtml(name)}</code></h3><p>${prose(summary)}</p>
<p>${typeName(payload)}</p>${example === undefined ? '' : `<details><summary>Example</summary>${json(example.payload)}</details>`}</section>`
}

function schemaSection(id: string, schema: DocumentedSchema): string {
  const rows = fieldRows(schema, '')
  return `<section id="schema-${escapeHtml(id)}"><h3>${escapeHtml(id)}</h3><p>${prose(schema.description ?? '')}</p>
${rows.length === 0 ? '' : table(['Field', 'Type', 'Meaning'], rows)}</section>`
}

/** The fields of a schema, and those of objects inside it by their paths. */
function fieldRows(schema: DocumentedSchema, path: string): readonly (readonly string[])[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const row = [`<code>${escapeHtml(path + name)}</code>`, typeName(field), prose(field.description ?? '')]
    const inner = [field, field.items, ...(field.anyOf ?? [])].find(one => one?.properties !== undefined)
    return [row, ...(inner === undefined ? [] : fieldRows(inner, `${path}${name}.`))]
  })
}

function typeName({ $ref, type, items, anyOf, enum: words, const: only }: DocumentedSchema): string {
  if ($ref !== undefined) {
    const id = $ref.split('/').at(-1) ?? ''
    return `<a href="#schema-${escapeHtml(id)}">${escapeHtml(id)}</a>`
  }
  if (anyOf !== undefined) return anyOf.map(typeName).join(' or ')
  if (words !== undefined) return words.map(word => `<code>${escapeHtml(String(word))}</code>`).join(', ')
  if (only !== undefined) return `<code>${escapeHtml(String(only))}</code>`
  return type === 'array' && items !== undefined ? `list of ${typeName(items)}` : escapeHtml([type ?? 'any'].flat().join(' or '))
}

function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const head = headings.map(heading => `<th scope="col">${heading}</th>`).join('')
  const body = rows.map(row => `<tr>${row.map(cell => `<td>${cell}</td>`).join('')}</tr>`).join('\n')
  return `<div class="table" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>\n${body}\n</tbody></table></div>`
}

function list(lines: readonly string[]): string {
  return `<ul>${lines.map(line => `<li>${prose(line)}</li>`).join('')}</ul>`
}

function json(value: unknown): string {
  return `<pre tabindex="0"><code>${escapeHtml(JSON.stringify(value, null, 2))}</code></pre>`
}

/** The HTML of a text in which backticks mark code. */
function prose(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>')
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

// Maven: mirrors and repositories of the settings, and the repository that maven knows by itself, read from its own super POM.
import { xmlEscaped } from "../../kit/xml-elements.ts";
import { type ConfigFile, type PresetFacts, PresetFault } from "../../contracts/preset.ts";
import {
  type MavenMirror,
  type MavenRepository,
  type MavenSettings,
  mirrorFor,
  readSettings,
  repositoriesOf,
  rootOf,
} from "./maven-settings.ts";
import { emptyReading, type Endpoint, type PresetReading } from "./preset-reading.ts";
import { credentialNotes, type ProjectAsk, projectNotes } from "./project-asks.ts";
import { readRegistryUrl, requireRegistryUrl } from "./registry-url.ts";

function ownRepositories(files: readonly ConfigFile[]): readonly MavenRepository[] {
  const model = files.find(({ level }) => level === "tool");
  const found = model === undefined ? [] : repositoriesOf(rootOf(model), "maven");
  if (found.length === 0) throw new PresetFault("POLICY_UNREADABLE", "preset.default-unknown", { tool: "maven" });
  return found;
}

/** The user's repository of the same id stands in for maven's own. */
function allRepositories(settings: MavenSettings, own: readonly MavenRepository[]): readonly MavenRepository[] {
  const isReplaced = (repository: MavenRepository): boolean =>
    settings.repositories.some(({ id, isPlugin }) => id === repository.id && isPlugin === repository.isPlugin);
  return [...settings.repositories, ...own.filter((repository) => !isReplaced(repository))];
}

interface Reached {
  readonly endpoints: readonly Endpoint[];
  readonly mirrors: readonly MavenMirror[];
  readonly places: readonly string[];
}

function reachedBy(settings: MavenSettings, repositories: readonly MavenRepository[]): Reached {
  const endpoints: Endpoint[] = [];
  const mirrors = new Set<MavenMirror>();
  const places: string[] = [];
  const add = (url: string, what: string, source: string): void => {
    const place = /^file:(?:\/\/)?(\/.*)/u.exec(url)?.[1];
    if (place === undefined) endpoints.push({ url: requireRegistryUrl(url, what, source), what, source });
    else places.push(place);
  };
  for (const repository of repositories) {
    const mirror = mirrorFor(settings, repository);
    if (mirror === undefined) add(repository.url, `maven: repository ${repository.id}`, repository.source);
    else if (!mirror.isBlocked && !mirrors.has(mirror)) add(mirror.url, `maven: mirror ${mirror.id}`, mirror.source);
    if (mirror !== undefined) mirrors.add(mirror);
  }
  return { endpoints, mirrors: [...mirrors], places };
}

const cleanUrl = (url: string): string => xmlEscaped(readRegistryUrl(url)?.clean ?? url);

function repositoryXml({ id, url, isPlugin }: MavenRepository): string {
  const name = isPlugin ? "pluginRepository" : "repository";
  return `<${name}><id>${xmlEscaped(id)}</id><url>${cleanUrl(url)}</url></${name}>`;
}

/** What the client inside needs of the settings: no server, no proxy, no plugin group. */
function settingsText(settings: MavenSettings): string {
  const mirrors = settings.mirrors.map(
    ({ id, url, mirrorOf, isBlocked }) =>
      `<mirror><id>${xmlEscaped(id)}</id><mirrorOf>${xmlEscaped(mirrorOf)}</mirrorOf><url>${cleanUrl(url)}</url>` +
      `${isBlocked ? "<blocked>true</blocked>" : ""}</mirror>`,
  );
  const of = (isPlugin: boolean): string =>
    settings.repositories
      .filter((item) => item.isPlugin === isPlugin)
      .map(repositoryXml)
      .join("");
  const profile =
    settings.repositories.length === 0
      ? ""
      : `<profiles><profile><id>configured</id><repositories>${of(false)}</repositories>` +
        `<pluginRepositories>${of(true)}</pluginRepositories></profile></profiles><activeProfiles><activeProfile>configured</activeProfile></activeProfiles>`;
  return `<settings>${settings.isOffline ? "<offline>true</offline>" : ""}<mirrors>${mirrors.join("")}</mirrors>${profile}</settings>\n`;
}

/** Broken XML of a project asks for nothing: maven would not read it either. */
function asksOf(file: ConfigFile): readonly ProjectAsk[] {
  try {
    return repositoriesOf(rootOf(file), file.path).map(({ id, url }) => ({
      text: url,
      what: `maven: repository ${id}`,
      file: file.path,
      line: 0,
    }));
  } catch (error) {
    if (error instanceof PresetFault) return [];
    throw error;
  }
}

/** @throws PresetFault for settings that cannot be understood */
export function readJavaPreset(facts: PresetFacts): PresetReading {
  const files = facts.files.filter(({ level }) => level === "global" || level === "user");
  const settings = readSettings(files);
  const { endpoints, places } = reachedBy(settings, allRepositories(settings, ownRepositories(facts.files)));
  const hasOwn = settings.mirrors.length > 0 || settings.repositories.length > 0 || settings.isOffline;
  const asks = facts.files.filter(({ level }) => level === "project").flatMap(asksOf);
  const globalSecrets = settings.servers.filter(({ source }) => files.some(({ path, level }) => path === source && level === "global"));
  return {
    ...emptyReading,
    endpoints,
    homeFiles: hasOwn ? { ".m2/settings.xml": settingsText(settings) } : {},
    allowRead: places,
    denyRead: [...new Set(globalSecrets.map(({ source }) => source))],
    sources: places.map((value) => ({ value, what: "maven", source: "maven" })),
    notes: [
      ...credentialNotes(endpoints),
      ...settings.servers.map(({ id, source }) => ({ key: "preset.note.maven-server", values: { id, file: source } })),
      ...projectNotes(asks, endpoints),
    ],
  };
}

/** JSON on one line, with spaces. */
export function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([field, inner]) => `"${field}": ${inline(inner)}`);
  return fields.length > 0 ? `{ ${fields.join(", ")} }` : "{}";
}

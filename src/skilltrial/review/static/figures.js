// Numbers as people read them. Unknown is a dash, never zero.

const UNKNOWN = "unknown";

/** 0.25 → "25 %". */
export function percent(share, digits = 0) {
  return share === null || share === undefined ? UNKNOWN : `${(100 * share).toFixed(digits)} %`;
}

/** 0.25 → "+25 points". */
export function points(difference) {
  if (difference === null || difference === undefined) return UNKNOWN;
  const rounded = Math.round(100 * difference);
  return `${rounded > 0 ? "+" : rounded < 0 ? "−" : "±"}${Math.abs(rounded)} points`;
}

/** 83.4 → "1 min 23 s". */
export function seconds(value) {
  if (value === null || value === undefined) return UNKNOWN;
  if (value < 9.95) return `${value.toFixed(1)} s`;
  if (value < 59.5) return `${Math.round(value)} s`;
  const whole = Math.round(value);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** 0.0312 → "$0.031". */
export function dollars(value) {
  if (value === null || value === undefined) return UNKNOWN;
  return `$${value.toFixed(value < 0.1 ? 3 : 2)}`;
}

/** 12345 → "12,345". */
export function count(value) {
  return value === null || value === undefined ? UNKNOWN : value.toLocaleString("en");
}

/** 12345 → "12.3 kB". */
export function bytes(value) {
  if (value === null || value === undefined) return UNKNOWN;
  if (value < 1000) return `${value} B`;
  if (value < 1e6) return `${(value / 1e3).toFixed(1)} kB`;
  if (value < 1e9) return `${(value / 1e6).toFixed(1)} MB`;
  return `${(value / 1e9).toFixed(1)} GB`;
}

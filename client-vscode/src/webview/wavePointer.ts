/** What the pointer does on the traces. Times are ticks of the file, not rounded. */
export interface PointerActions {
  /** The time at a distance from the left edge of the traces, as a share of their width. */
  timeAt(share: number): number;
  putCursor(time: number): void;
  putSecondCursor(time: number): void;
  putMarker(time: number): void;
  zoom(factor: number, around: number): void;
  /** By a share of the window. */
  pan(share: number): void;
}

const PIXELS_OF_A_LINE = 30;
/** The wheel's way, in pixels, that doubles or halves the time in sight. */
const PIXELS_OF_A_ZOOM = 240;

/**
 * Lets the wheel and the pointer act on all traces.
 *
 * @param whole Holds the traces and their names, over which the wheel scrolls the list as everywhere.
 * @param traces An element as wide as the traces.
 */
export function followPointer(whole: HTMLElement, traces: HTMLElement, actions: PointerActions): void {
  const share = ({ clientX }: MouseEvent): number => {
    const { left, width } = traces.getBoundingClientRect();
    return (clientX - left) / Math.max(1, width);
  };
  whole.addEventListener(
    "wheel",
    (event) => {
      const scale = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? PIXELS_OF_A_LINE : 1;
      const isZoom = event.ctrlKey || event.metaKey;
      const isSideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
      const place = share(event);
      if (!isZoom && !isSideways && place < 0) return;
      event.preventDefault();
      const way = (isSideways ? event.deltaX : event.deltaY) * scale;
      if (isZoom) actions.zoom(2 ** (way / PIXELS_OF_A_ZOOM), actions.timeAt(Math.max(0, place)));
      // Some browsers turn the wheel with Shift sideways by themselves.
      else if (event.shiftKey) whole.querySelector("[role=listbox]")?.scrollBy(0, way);
      else actions.pan(way / Math.max(1, traces.clientWidth));
    },
    { passive: false },
  );
  const put = (event: PointerEvent): void => {
    const time = actions.timeAt(Math.max(0, Math.min(1, share(event))));
    if (event.altKey) actions.putMarker(time);
    else if (event.shiftKey) actions.putSecondCursor(time);
    else actions.putCursor(time);
  };
  let isDragged = false;
  whole.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || !(event.target instanceof HTMLCanvasElement)) return;
    isDragged = !event.altKey;
    put(event);
  });
  window.addEventListener("pointermove", (event) => isDragged && put(event));
  window.addEventListener("pointerup", () => (isDragged = false));
}

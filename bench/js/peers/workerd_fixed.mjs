// The script itself: what a process that is started for one run has to load.
export default {
  async fetch() {
    return Response.json({ value: 1 + 1 });
  },
};

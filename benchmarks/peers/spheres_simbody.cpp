// Hunt-Crossley contact of moving spheres in Simbody; prints one RESULT line.
//
// usage: spheres_simbody {plane,packing} SPHERES STEPS REPEATS
//
// The same scene as in ../spheres_scene.py: spheres at given places with given velocities, above a half space, moved by
// v h per step, again and again from the start.  Timed is the realisation of the stage Dynamics at each step, which finds the contacts and evaluates
// their forces; positions and velocities are realised before and reported apart.  The spheres do not rotate: with bodies
// that can, Simbody's contacts and forces cost the same.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "Simbody.h"

using namespace SimTK;

namespace {

const double radius = 0.05, modulus = 1e6, dissipation = 0.1;
const double static_friction = 0.5, dynamic_friction = 0.4, viscous_friction = 0.05, transition = 0.01;

struct Clock {
  clockid_t id;
  double seconds = 0.0, start = 0.0;
  double now() const {
    timespec t;
    clock_gettime(id, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
  }
  void begin() { start = now(); }
  void end() { seconds += now() - start; }
};

// k-th number of the generator splitmix64 with seed 0, as a fraction in [0, 1)
double fraction(std::uint64_t k) {
  std::uint64_t z = (k + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  return (z >> 11) * (1.0 / 9007199254740992.0);
}

struct Scene {
  std::vector<Vec3> place, velocity;
  double step;
};

Scene create_scene(bool plane, int count) {
  Scene scene;
  scene.step = plane ? 1e-4 : 1e-3;
  const double side = std::cbrt(count * 4.0 / 3.0 * Pi * radius * radius * radius / 0.5);
  const int row = (int)std::ceil(std::sqrt((double)count));
  for (int i = 0; i < count; ++i) {
    double u[6];
    for (int k = 0; k < 6; ++k) u[k] = fraction(6 * (std::uint64_t)i + k);
    if (plane) {
      scene.place.push_back(
          Vec3((i % row) * 2.2 * radius, radius - 0.0005 * (0.5 + u[0]), (i / row) * 2.2 * radius));
      scene.velocity.push_back(Vec3(0.2 * u[3] - 0.1, 0.02 * u[4] - 0.01, 0.2 * u[5] - 0.1));
    } else {
      scene.place.push_back(Vec3(side * u[0], side * u[1] + 0.9 * radius, side * u[2]));
      scene.velocity.push_back(Vec3(0.2 * u[3] - 0.1, 0.2 * u[4] - 0.1, 0.2 * u[5] - 0.1));
    }
  }
  return scene;
}

}  // namespace

int main(int argc, char** argv) {
  const bool plane = argc > 1 && !std::strcmp(argv[1], "plane");
  const int count = argc > 2 ? std::atoi(argv[2]) : 0, steps = argc > 3 ? std::atoi(argv[3]) : 0;
  const int repeats = argc > 4 ? std::atoi(argv[4]) : 0;
  if (argc != 5 || (!plane && std::strcmp(argv[1], "packing")) || count < 1 || steps < 1 || repeats < 1) {
    std::fprintf(stderr, "usage: spheres_simbody {plane,packing} SPHERES STEPS REPEATS\n");
    return 2;
  }
  const Scene scene = create_scene(plane, count);

  MultibodySystem system;
  SimbodyMatterSubsystem matter(system);
  GeneralContactSubsystem contacts(system);
  GeneralForceSubsystem forces(system);
  forces.setNumberOfThreads(1);
  const ContactSetIndex set = contacts.createContactSet();
  // a half space fills local x > 0
  contacts.addBody(set, matter.updGround(), ContactGeometry::HalfSpace(), Transform(Rotation(-Pi / 2, ZAxis)));
  const Body::Rigid body(MassProperties(1.0, Vec3(0), UnitInertia::sphere(radius)));
  std::vector<MobilizedBody> spheres;
  for (int i = 0; i < count; ++i) {
    spheres.push_back(MobilizedBody::Translation(matter.updGround(), body));
    contacts.addBody(set, spheres.back(), ContactGeometry::Sphere(radius), Transform());
  }
  HuntCrossleyForce law(forces, contacts, set);
  for (int i = 0; i <= count; ++i)
    law.setBodyParameters(ContactSurfaceIndex(i), modulus, dissipation, static_friction, dynamic_friction,
                          viscous_friction);
  law.setTransitionVelocity(transition);
  State state = system.realizeTopology();
  system.realizeModel(state);

  Clock cpu{CLOCK_PROCESS_CPUTIME_ID}, wall{CLOCK_MONOTONIC}, before{CLOCK_PROCESS_CPUTIME_ID};
  long found = 0;
  for (int step = 0; step < repeats * (steps + 1); ++step) {
    // step 0 allocates and is not timed
    const int k = step % (steps + 1);
    for (int i = 0; i < count; ++i)
      spheres[i].setQToFitTranslation(state, scene.place[i] + k * scene.step * scene.velocity[i]);
    for (int i = 0; i < count; ++i) spheres[i].setUToFitLinearVelocity(state, scene.velocity[i]);
    if (k > 0) before.begin();
    system.realize(state, Stage::Velocity);
    if (k == 0) {
      system.realize(state, Stage::Dynamics);
      continue;
    }
    before.end();
    cpu.begin();
    wall.begin();
    system.realize(state, Stage::Dynamics);
    wall.end();
    cpu.end();
    found += (long)contacts.getContacts(state, set).size();
  }

  Vector_<SpatialVec> wrenches(matter.getNumBodies(), SpatialVec(Vec3(0)));
  Vector_<Vec3> particles;
  Vector mobility(state.getNU(), 0.0);
  law.calcForceContribution(state, wrenches, particles, mobility);
  double force = 0.0, torque = 0.0;
  for (int i = 1; i < matter.getNumBodies(); ++i) {
    torque += wrenches[i][0].norm();
    force += wrenches[i][1].norm();
  }
  const Vec3 ground = wrenches[0][1];
  std::printf(
      "RESULT {\"cpu\": %.9g, \"wall\": %.9g, \"counts\": {\"spheres\": %d, \"steps\": %d, \"contacts\": %ld}, "
      "\"answers\": {\"force_sum\": %.17g, \"torque_sum\": %.17g, \"ground_force_y\": %.17g, \"energy\": %.17g}, "
      "\"measured\": {\"contacts per second\": %.9g, \"ms per step\": %.9g, "
      "\"positions and velocities, not timed [ms/step]\": %.9g}, \"versions\": {\"simbody\": \"%s\"}}\n",
      cpu.seconds, wall.seconds, count, repeats * steps, found, force, torque, ground[1], law.calcPotentialEnergyContribution(state),
      found / cpu.seconds, 1e3 * cpu.seconds / (repeats * steps), 1e3 * before.seconds / (repeats * steps),
      SIMBODY_VERSION);
  return 0;
}

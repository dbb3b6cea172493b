// Elementary functions that give the same bits on every platform: own code, no libm, no fused multiply-add.
// All are within 1 ulp of the true value over the whole range of double (docs/math.md has the measured
// errors) and follow C's Annex F for NaN, infinities, zeros and their signs. Every NaN returned is the same
// one, whatever came in.
#ifndef RBL_MATH_TRIG_H
#define RBL_MATH_TRIG_H

#define RBL_PI 3.14159265358979323846

// Radians. Any finite argument: large ones are reduced exactly. Infinities give NaN.
double rbl_sin(double x);
double rbl_cos(double x);
double rbl_tan(double x);
void rbl_sincos(double x, double* sine, double* cosine);

double rbl_acos(double x); // in [0, pi], NaN outside [-1, 1]

// The angle of (x, y) in [-pi, pi]; signed zeros choose the side of the cut.
double rbl_atan2(double y, double x);

double rbl_exp(double x);
double rbl_log(double x); // natural; -infinity at 0, NaN below

// x^y. Exact whenever the result is representable and y is an integer. NaN for x < 0 and y not an integer; 1
// for y = 0 and for x = 1, whatever the other is.
double rbl_pow(double x, double y);

double rbl_cbrt(double x);

#endif
